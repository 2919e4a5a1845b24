"""Elementary motions, which joints are made of: one file a member, each with its behaviour."""

from gough.joints.motions.ball import Ball
from gough.joints.motions.motion import JointMotion
from gough.joints.motions.platform import PlatformMotion
from gough.joints.motions.rest import NoMotion
from gough.joints.motions.rotation import Rotation
from gough.joints.motions.translation import Translation

__all__ = ["Ball", "JointMotion", "NoMotion", "PlatformMotion", "Rotation", "Translation"]
