"""[Lopes]: a 6-PUS robot with vertical actuators, complete and simplified model."""
