device_id = fluid.dygraph.parallel.Env().dev_id
place = fluid.CUDAPlace(device_id)
