"""[Pedrammehr 2012]: a general 6-UPS robot with true universal joints."""
