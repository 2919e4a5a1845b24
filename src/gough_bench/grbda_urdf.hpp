// Names of a URDF reader that generalized_rbda's headers mention. Robots are not read from URDF here, so nothing stands
// behind them.

#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace urdf {
struct Vector3 {
  double x = 0, y = 0, z = 0;
};
struct Rotation {
  double x = 0, y = 0, z = 0, w = 1;
};
struct Pose {
  Vector3 position;
  Rotation rotation;
};
struct Inertial {
  Pose origin;
  double mass = 0, ixx = 0, ixy = 0, ixz = 0, iyy = 0, iyz = 0, izz = 0;
};
struct Link {};
struct Cluster {};
struct ModelInterface {};
typedef std::shared_ptr<Link> LinkSharedPtr;
typedef std::shared_ptr<Cluster> ClusterSharedPtr;
typedef std::shared_ptr<ModelInterface> ModelInterfaceSharedPtr;
inline ModelInterfaceSharedPtr parseURDFFile(const std::string&) { throw std::runtime_error("no URDF here"); }
inline ModelInterfaceSharedPtr parseURDFFiles(const std::vector<std::string>&) { throw std::runtime_error("no URDF here"); }
}  // namespace urdf
