from visualdl import LogWriter
log_writer = LogWriter("./log")
