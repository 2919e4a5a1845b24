// What generalized_rbda lacks for the robots here: loops of any joints at numbers, and a sliding joint.

#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "grbda/Dynamics/ClusterJoints/ClusterJointTypes.h"
#include "grbda/Dynamics/ClusterTreeModel.h"

using namespace grbda;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

struct Link {
  int parent;  // -1: the world
  std::string kind;
  int axis = 0, q = 0, v = 0;
  Matrix3d R;
  Vector3d p;
  int nv() const { return kind == "free" ? 6 : 1; }
  int nq() const { return kind == "free" ? 7 : 1; }
};

struct End {
  int link;
  Matrix3d R;
  Vector3d p;
};

struct Loop {
  End first, second;
  int held[6];
};

struct Tree {
  std::vector<Link> links;
  std::vector<Loop> loops;
  std::vector<int> independent, dependent, drives;
  int nq = 0, nv = 0, rows = 0;
};

// Loops at numbers: K by walking from both ends to the world, G and both biases by one LU of the dependent columns.
struct NumericLoops : LoopConstraint::Base<double> {
  struct Frame {
    Matrix3d R;
    Vector3d p, v, w, a, alpha;
  };

  explicit NumericLoops(const Tree& tree) : tree_(tree), frames_(tree.links.size()) {
    this->K_ = MatrixXd::Zero(tree.rows, tree.nv);
    this->G_ = MatrixXd::Zero(tree.nv, tree.independent.size());
    this->k_ = VectorXd::Zero(tree.rows);
    this->g_ = VectorXd::Zero(tree.nv);
    this->phi_ = [this](const JointCoordinate<double>& q) { return gaps(q); };
  }
  std::shared_ptr<LoopConstraint::Base<double>> clone() const override { return std::make_shared<NumericLoops>(tree_); }
  int numSpanningPos() const override { return tree_.nq; }
  DVec<double> gamma(const JointCoordinate<double>&) const override { throw std::runtime_error("loops are implicit"); }

  void updateJacobians(const JointCoordinate<double>& q) override {
    place(q);
    this->K_.setZero();
    int row = 0;
    for (const Loop& loop : tree_.loops) {
      const Matrix3d axes = rotation(loop.first.link) * loop.first.R;
      const Vector3d at = point(loop.first);
      for (int way = 0; way < 6; ++way) {
        if (!loop.held[way]) continue;
        fill(row, loop.first.link, axes.col(way % 3), at, way > 2, 1.0);
        fill(row, loop.second.link, axes.col(way % 3), at, way > 2, -1.0);
        ++row;
      }
    }
    const int n = int(tree_.dependent.size()), m = int(tree_.independent.size());
    MatrixXd Kd(tree_.rows, n), Ki(tree_.rows, m);
    for (int k = 0; k < n; ++k) Kd.col(k) = this->K_.col(tree_.dependent[k]);
    for (int k = 0; k < m; ++k) Ki.col(k) = this->K_.col(tree_.independent[k]);
    lu_.compute(Kd);
    const MatrixXd rest = -lu_.solve(Ki);
    this->G_.setZero();
    for (int k = 0; k < m; ++k) this->G_(tree_.independent[k], k) = 1;
    for (int k = 0; k < n; ++k) this->G_.row(tree_.dependent[k]) = rest.row(k);
  }

  void updateBiases(const JointState<double>& state) override {
    move(state.velocity);
    int row = 0;
    for (const Loop& loop : tree_.loops) {
      const Matrix3d axes = rotation(loop.first.link) * loop.first.R;
      const Vector3d pull = acceleration(loop.first) - acceleration(loop.second);
      const Vector3d turn = turning(loop.first.link) - turning(loop.second.link);
      for (int way = 0; way < 6; ++way)
        if (loop.held[way]) this->k_[row++] = -axes.col(way % 3).dot(way > 2 ? turn : pull);
    }
    const VectorXd rest = lu_.solve(this->k_);
    this->g_.setZero();
    for (std::size_t k = 0; k < tree_.dependent.size(); ++k) this->g_[tree_.dependent[k]] = rest[k];
  }

 private:
  VectorXd gaps(const VectorXd& q) {
    place(q);
    VectorXd found = VectorXd::Zero(tree_.rows);
    int row = 0;
    for (const Loop& loop : tree_.loops) {
      const Matrix3d axes = rotation(loop.first.link) * loop.first.R;
      const Vector3d gap = point(loop.first) - point(loop.second);
      for (int way = 0; way < 6; ++way)
        if (loop.held[way]) found[row++] = way > 2 ? 0.0 : axes.col(way).dot(gap);
    }
    return found;
  }

  Matrix3d rotation(int link) const { return link < 0 ? Matrix3d(Matrix3d::Identity()) : frames_[link].R; }
  Vector3d point(const End& e) const { return e.link < 0 ? e.p : Vector3d(frames_[e.link].p + frames_[e.link].R * e.p); }
  Vector3d turning(int link) const { return link < 0 ? Vector3d(Vector3d::Zero()) : frames_[link].alpha; }
  Vector3d acceleration(const End& e) const {
    if (e.link < 0) return Vector3d::Zero();
    const Frame& f = frames_[e.link];
    const Vector3d r = f.R * e.p;
    return f.a + f.alpha.cross(r) + f.w.cross(f.w.cross(r));
  }

  // Where links are.
  void place(const VectorXd& q) {
    for (std::size_t i = 0; i < tree_.links.size(); ++i) {
      const Link& link = tree_.links[i];
      Frame& f = frames_[i];
      if (link.kind == "free") {
        f.p = q.segment<3>(link.q);
        f.R = Eigen::Quaterniond(q[link.q + 3], q[link.q + 4], q[link.q + 5], q[link.q + 6]).toRotationMatrix();
        continue;
      }
      f.R = rotation(link.parent) * link.R;
      f.p = link.parent < 0 ? link.p : Vector3d(frames_[link.parent].p + frames_[link.parent].R * link.p);
      if (link.kind[0] == 'P')
        f.p += f.R.col(link.axis) * q[link.q];
      else
        f.R = f.R * Eigen::AngleAxisd(q[link.q], Vector3d::Unit(link.axis)).toRotationMatrix();
    }
  }

  // How links move, and their accelerations where those of all joints are zero.
  void move(const VectorXd& u) {
    for (std::size_t i = 0; i < tree_.links.size(); ++i) {
      const Link& link = tree_.links[i];
      Frame& f = frames_[i];
      if (link.kind == "free") {
        f.w = f.R * u.segment<3>(link.v);
        f.v = f.R * u.segment<3>(link.v + 3);
        f.alpha.setZero();
        f.a = f.w.cross(f.v);
        continue;
      }
      f.v.setZero(), f.w.setZero(), f.a.setZero(), f.alpha.setZero();
      const Vector3d way = f.R.col(link.axis) * u[link.v];
      if (link.parent >= 0) {
        const Frame& on = frames_[link.parent];
        const Vector3d r = f.p - on.p;
        f.w = on.w, f.alpha = on.alpha;
        f.v = on.v + on.w.cross(r);
        f.a = on.a + on.alpha.cross(r) + on.w.cross(on.w.cross(r));
      }
      if (link.kind[0] == 'P') {
        f.v += way;
        f.a += 2 * f.w.cross(way);
      } else {
        f.alpha += f.w.cross(way);
        f.w += way;
      }
    }
  }

  void fill(int row, int link, const Vector3d& way, const Vector3d& at, bool turns, double sign) {
    for (int i = link; i >= 0; i = tree_.links[i].parent) {
      const Link& l = tree_.links[i];
      const Frame& f = frames_[i];
      const Vector3d arm = at - f.p;
      if (l.kind == "free") {
        for (int k = 0; k < 3; ++k) {
          const Vector3d axis = f.R.col(k);
          this->K_(row, l.v + k) += sign * way.dot(turns ? axis : Vector3d(axis.cross(arm)));
          if (!turns) this->K_(row, l.v + 3 + k) += sign * way.dot(axis);
        }
      } else {
        const Vector3d axis = f.R.col(l.axis);
        if (l.kind[0] == 'P')
          this->K_(row, l.v) += turns ? 0.0 : sign * way.dot(axis);
        else
          this->K_(row, l.v) += sign * way.dot(turns ? axis : Vector3d(axis.cross(arm)));
      }
    }
  }

  Tree tree_;
  std::vector<Frame> frames_;
  Eigen::PartialPivLU<MatrixXd> lu_;
};

// The library has none.
struct Slide : Joints::Base<double> {
  explicit Slide(int axis) : Joints::Base<double>(1, 1, "slide"), way_(Vector3d::Unit(axis)) {
    this->S_ = D6Mat<double>::Zero(6, 1);
    this->S_.block<3, 1>(3, 0) = way_;
    this->Psi_ = this->S_;
  }
  std::shared_ptr<Joints::Base<double>> clone() const override { return std::make_shared<Slide>(*this); }
  void updateKinematics(const DVec<double>& q, const DVec<double>&) override {
    this->XJ_ = spatial::Transform<double>(Matrix3d::Identity(), way_ * q[0]);
  }
  Vector3d way_;
};
