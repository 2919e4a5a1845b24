// Closed-loop dynamics written by hand on Pinocchio (header only), timed state by state.
//
//   harness ROBOT STATES      then commands on stdin, one a line, answers on stdout:
//     time ROUTE REPEATS THREADS   seconds of evaluating all states REPEATS times on each thread
//     write ROUTE PATH             results of all states as doubles, row by row
// Routes: inverse (drive forces), forward (accelerations of the tree by constraintDynamics), loops (the same by lcaba).
//
// ROBOT is text (see pinocchio_files.py): gravity, joints in depth-first order, legs, point and weld constraints.
// STATES is binary: n, nq, nv as int64, then q (n, nq), twist (n, 6), acceleration (n, 6), rates (n, nv), forces (n, nv).
//
// The inverse route takes a platform on legs of three one-freedom joints with a ball at the tip, one drive a leg:
//   1. positions of all joints; columns of every leg's 3 x 3 Jacobian J by hand from the joint placements
//   2. joint rates J^-1 v_tip, then joint accelerations J^-1 (a_tip - bias), bias by differentiating the columns
//   3. rnea on legs and platform
//   4. every leg's joint forces carried to its tip by J^-T, summed on the platform, one 6 x 6 solve for the drives
// Everything is allocated once; small matrices have fixed sizes.

#include <Eigen/Dense>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/loop-constrained-aba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "pinocchio_joints.hpp"

namespace pin = pinocchio;
using Model = pin::ModelTpl<double, 0, FewJoints>;
using Data = pin::DataTpl<double, 0, FewJoints>;
using Joints = FewJoints<double, 0>;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Constraints = std::vector<pin::RigidConstraintModel, Eigen::aligned_allocator<pin::RigidConstraintModel>>;
using ConstraintDatas = std::vector<pin::RigidConstraintData, Eigen::aligned_allocator<pin::RigidConstraintData>>;

struct Leg {
  int joint[3];    // joint numbers from base to tip
  int axis[3];     // coordinate axis of each
  bool slides[3];  // prismatic instead of revolute
  int v;           // position of the first rate; the others follow
  Vector3d tip, on_platform;
  int drive;       // which of the three is driven
};

struct Robot {
  Model model;
  std::vector<std::string> kinds{"world"};
  std::vector<Leg> legs;
  Constraints constraints;
  double mu = 0;       // proximal step; 0 where no closure is redundant
  int iterations = 1;
  double loop_mu = 1e-6;  // of lcaba, which needs one always
  int loop_iterations = 20;
};

struct State {
  VectorXd q, rates, forces;
  Vector6 twist, acceleration;
};

template <class Vector> void read(std::istream& in, Vector& x) {
  for (Eigen::Index k = 0; k < x.size(); ++k) in >> x[k];
}

pin::SE3 read_pose(std::istream& in) {
  Vector3d p;
  Matrix3d R;
  read(in, p);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) in >> R(i, j);
  return pin::SE3(R, p);
}

pin::Inertia read_inertia(std::istream& in) {
  double mass;
  Vector3d c;
  Matrix3d I;
  in >> mass;
  read(in, c);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) in >> I(i, j);
  return pin::Inertia(mass, c, pin::Symmetric3(I));
}

int add_joint(Model& model, int parent, const std::string& kind, const pin::SE3& at) {
  const std::string name = "j" + std::to_string(model.njoints);
  if (kind == "RX") return int(model.addJoint(parent, Joints::JointModelRX(), at, name));
  if (kind == "RY") return int(model.addJoint(parent, Joints::JointModelRY(), at, name));
  if (kind == "RZ") return int(model.addJoint(parent, Joints::JointModelRZ(), at, name));
  if (kind == "PX") return int(model.addJoint(parent, Joints::JointModelPX(), at, name));
  if (kind == "PY") return int(model.addJoint(parent, Joints::JointModelPY(), at, name));
  if (kind == "PZ") return int(model.addJoint(parent, Joints::JointModelPZ(), at, name));
  if (kind == "ball") return int(model.addJoint(parent, Joints::JointModelSpherical(), at, name));
  if (kind == "free") return int(model.addJoint(parent, Joints::JointModelFreeFlyer(), at, name));
  throw std::runtime_error("joint kind " + kind);
}

Robot read_robot(const char* path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(std::string("cannot read ") + path);
  Robot robot;
  std::vector<double> armature;
  std::string word;
  while (in >> word) {
    if (word == "gravity") {
      Vector3d g;
      read(in, g);
      robot.model.gravity.linear() = g;
    } else if (word == "joint") {
      int parent;
      std::string kind;
      double rotor;
      in >> parent >> kind;
      const pin::SE3 at = read_pose(in);
      const int j = add_joint(robot.model, parent, kind, at);
      robot.model.appendBodyToJoint(j, read_inertia(in), pin::SE3::Identity());
      in >> rotor;
      armature.insert(armature.end(), robot.model.nvs[j], rotor);
      robot.kinds.push_back(kind);
    } else if (word == "leg") {
      Leg leg;
      for (int k = 0; k < 3; ++k) {
        in >> leg.joint[k];
        const std::string& kind = robot.kinds[leg.joint[k]];
        leg.slides[k] = kind[0] == 'P';
        leg.axis[k] = kind[1] - 'X';
      }
      leg.v = robot.model.idx_vs[leg.joint[0]];
      read(in, leg.tip);
      read(in, leg.on_platform);
      in >> leg.drive;
      robot.legs.push_back(leg);
    } else if (word == "point" || word == "weld") {
      int first, second;
      in >> first;
      const pin::SE3 on_first = read_pose(in);
      in >> second;
      const pin::SE3 on_second = read_pose(in);
      const auto type = word == "point" ? pin::CONTACT_3D : pin::CONTACT_6D;
      robot.constraints.emplace_back(type, robot.model, first, on_first, second, on_second, pin::LOCAL);
    } else if (word == "proximal") {
      in >> robot.mu >> robot.iterations >> robot.loop_mu >> robot.loop_iterations;
    } else {
      throw std::runtime_error("unknown word " + word);
    }
  }
  robot.model.armature = Eigen::Map<VectorXd>(armature.data(), Eigen::Index(armature.size()));
  return robot;
}

std::vector<State> read_states(const char* path, const Robot& robot) {
  std::ifstream in(path, std::ios::binary);
  std::int64_t head[3];
  if (!in.read(reinterpret_cast<char*>(head), sizeof head)) throw std::runtime_error("no states");
  if (head[1] != robot.model.nq || head[2] != robot.model.nv) throw std::runtime_error("states of another robot");
  std::vector<State> states(head[0]);
  auto take = [&](double* to, std::int64_t n) { in.read(reinterpret_cast<char*>(to), n * sizeof(double)); };
  for (auto& s : states) s.q.resize(head[1]), take(s.q.data(), head[1]);
  for (auto& s : states) take(s.twist.data(), 6);
  for (auto& s : states) take(s.acceleration.data(), 6);
  for (auto& s : states) s.rates.resize(head[2]), take(s.rates.data(), head[2]);
  for (auto& s : states) s.forces.resize(head[2]), take(s.forces.data(), head[2]);
  if (!in) throw std::runtime_error("states end too early");
  return states;
}

class Inverse {
 public:
  explicit Inverse(const Robot& robot)
      : robot_(robot), data_(robot.model), rates_(robot.model.nv), second_(robot.model.nv), to_tip_(robot.legs.size()),
        arm_(robot.legs.size()) {
    if (robot.legs.size() != 6) throw std::runtime_error("the inverse route is written for six legs");
  }
  int size() const { return 6; }

  void operator()(const State& state, double* out) {
    pin::forwardKinematics(robot_.model, data_, state.q);
    const Matrix3d R = data_.oMi[1].rotation();
    const Vector3d v = state.twist.head<3>(), w = state.twist.tail<3>();
    const Vector3d a = state.acceleration.head<3>(), wd = state.acceleration.tail<3>();
    for (std::size_t i = 0; i < 6; ++i) move_leg(robot_.legs[i], R, v, w, a, wd, arm_[i], to_tip_[i]);
    const Vector3d v_body = R.transpose() * v, w_body = R.transpose() * w;
    rates_.head<3>() = v_body;
    rates_.segment<3>(3) = w_body;
    second_.head<3>() = R.transpose() * a - w_body.cross(v_body);  // Pinocchio's is the spatial acceleration
    second_.segment<3>(3) = R.transpose() * wd;
    pin::rnea(robot_.model, data_, state.q, rates_, second_);
    Vector6 load;
    load.head<3>() = R * data_.tau.head<3>();
    load.tail<3>() = R * data_.tau.segment<3>(3);
    Matrix6 columns;
    for (std::size_t i = 0; i < 6; ++i) {
      const Leg& leg = robot_.legs[i];
      const Vector3d force = to_tip_[i].transpose() * data_.tau.segment<3>(leg.v);
      load.head<3>() += force;
      load.tail<3>() += arm_[i].cross(force);
      const Vector3d unit = to_tip_[i].row(leg.drive).transpose();
      columns.col(i).head<3>() = unit;
      columns.col(i).tail<3>() = arm_[i].cross(unit);
    }
    Eigen::Map<Vector6> drives(out);
    drives.noalias() = columns.partialPivLu().solve(load);
  }

 private:
  // Rates and accelerations of one leg's joints for the motion of the platform; arm: platform origin to tip.
  void move_leg(const Leg& leg, const Matrix3d& R, const Vector3d& v, const Vector3d& w, const Vector3d& a,
                const Vector3d& wd, Vector3d& arm, Matrix3d& to_tip) {
    const Vector3d tip = data_.oMi[leg.joint[2]].act(leg.tip);
    arm.noalias() = R * leg.on_platform;
    Matrix3d J;
    Vector3d axis[3], reach[3];
    for (int k = 0; k < 3; ++k) {
      const auto& M = data_.oMi[leg.joint[k]];
      axis[k] = M.rotation().col(leg.axis[k]);
      reach[k] = tip - M.translation();
      J.col(k) = leg.slides[k] ? axis[k] : Vector3d(axis[k].cross(reach[k]));
    }
    to_tip = J.inverse();
    const Vector3d turned = w.cross(arm), v_tip = v + turned;
    const Vector3d rate = to_tip * v_tip;
    Vector3d bias = Vector3d::Zero(), spin = Vector3d::Zero(), origin_v = Vector3d::Zero();
    for (int k = 0; k < 3; ++k) {
      if (k > 0) origin_v += spin.cross(reach[k - 1] - reach[k]);
      const Vector3d axis_rate = spin.cross(axis[k]);
      if (leg.slides[k]) {
        origin_v += axis[k] * rate[k];
        bias += axis_rate * rate[k];
      } else {
        bias += (axis_rate.cross(reach[k]) + axis[k].cross(v_tip - origin_v)) * rate[k];
        spin += axis[k] * rate[k];
      }
    }
    rates_.segment<3>(leg.v) = rate;
    second_.segment<3>(leg.v).noalias() = to_tip * (a + wd.cross(arm) + w.cross(turned) - bias);
  }

  const Robot& robot_;
  Data data_;
  VectorXd rates_, second_;
  std::vector<Matrix3d> to_tip_;  // inverses of the legs' Jacobians
  std::vector<Vector3d> arm_;
};

class Forward {
 public:
  explicit Forward(const Robot& robot) : robot_(robot), data_(robot.model), settings_(1e-12, robot.mu, robot.iterations) {
    for (const auto& c : robot.constraints) datas_.push_back(c.createData());
    pin::initConstraintDynamics(robot.model, data_, robot.constraints, datas_);
  }
  int size() const { return robot_.model.nv; }

  void operator()(const State& state, double* out) {
    Eigen::Map<VectorXd>(out, size()) = pin::constraintDynamics(
        robot_.model, data_, state.q, state.rates, state.forces, robot_.constraints, datas_, settings_);
  }

 private:
  const Robot& robot_;
  Data data_;
  ConstraintDatas datas_;
  pin::ProximalSettings settings_;
};

// The articulated-body algorithm of closed loops.
class Loops {
 public:
  explicit Loops(const Robot& robot)
      : robot_(robot), data_(robot.model), settings_(1e-12, robot.loop_mu, robot.loop_iterations) {
    for (const auto& c : robot.constraints) datas_.push_back(c.createData());
    pin::computeJointMinimalOrdering(robot.model, data_, robot.constraints);
  }
  int size() const { return robot_.model.nv; }

  void operator()(const State& state, double* out) {
    Eigen::Map<VectorXd>(out, size()) =
        pin::lcaba(robot_.model, data_, state.q, state.rates, state.forces, robot_.constraints, datas_, settings_);
  }

 private:
  const Robot& robot_;
  Data data_;
  ConstraintDatas datas_;
  pin::ProximalSettings settings_;
};

template <class Route> double seconds(const Robot& robot, const std::vector<State>& states, int repeats, int threads) {
  std::vector<double> took(threads);
  auto work = [&](int which) {
    Route route(robot);
    std::vector<double> out(route.size());
    for (const auto& s : states) route(s, out.data());
    const auto start = std::chrono::steady_clock::now();
    for (int r = 0; r < repeats; ++r)
      for (const auto& s : states) route(s, out.data());
    took[which] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::vector<std::thread> crew;
  for (int t = 1; t < threads; ++t) crew.emplace_back(work, t);
  work(0);
  for (auto& t : crew) t.join();
  return *std::max_element(took.begin(), took.end());
}

template <class Route> void write(const Robot& robot, const std::vector<State>& states, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  Route route(robot);
  std::vector<double> out(route.size());
  for (const auto& s : states) {
    route(s, out.data());
    file.write(reinterpret_cast<const char*>(out.data()), std::streamsize(out.size() * sizeof(double)));
  }
}

int main(int argc, char** argv) try {
  if (argc != 3) throw std::runtime_error("harness ROBOT STATES");
  const Robot robot = read_robot(argv[1]);
  const std::vector<State> states = read_states(argv[2], robot);
  std::cout.precision(9);
  std::string command, route;
  while (std::cin >> command >> route) {
    const bool inverse = route == "inverse", loops = route == "loops";
    if (!inverse && !loops && route != "forward") throw std::runtime_error("route " + route);
    if (command == "time") {
      int repeats, threads;
      std::cin >> repeats >> threads;
      std::cout << (inverse ? seconds<Inverse>(robot, states, repeats, threads)
                    : loops ? seconds<Loops>(robot, states, repeats, threads)
                            : seconds<Forward>(robot, states, repeats, threads));
    } else if (command == "write") {
      std::string path;
      std::cin >> std::ws;
      std::getline(std::cin, path);
      inverse ? write<Inverse>(robot, states, path)
      : loops ? write<Loops>(robot, states, path)
              : write<Forward>(robot, states, path);
      std::cout << "written";
    } else {
      throw std::runtime_error("command " + command);
    }
    std::cout << std::endl;
  }
  return 0;
} catch (const std::exception& e) {
  std::cout << "error " << e.what() << std::endl;
  return 1;
}
