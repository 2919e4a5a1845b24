"""The controller manager with the hardware interface, then the controller; the robot is started by hand (README.md)."""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch_ros.actions import Node


def generate_launch_description():
    share = Path(get_package_share_directory("gough_law"))
    parameters = str(share / "config" / "controllers.yaml")
    description = {"robot_description": (share / "urdf" / "five_bar.urdf").read_text()}
    spawner = ["law_controller", "--param-file", parameters]
    return LaunchDescription(
        [
            Node(package="robot_state_publisher", executable="robot_state_publisher", parameters=[description]),
            Node(package="controller_manager", executable="ros2_control_node", parameters=[parameters], output="both"),
            Node(package="controller_manager", executable="spawner", arguments=spawner, output="both"),
        ]
    )
