"""What stands between the robot and its controller: one sensor, one file. `sensor.py` has what all of them share."""
