"""What stands between the controller's command and the forces of the drives: one actuator, one file."""
