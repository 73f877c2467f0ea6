avg_loss = model.scale_loss(avg_loss)  ## 新增
avg_loss.backward()
mnist.apply_collective_grads()         ## 新增
