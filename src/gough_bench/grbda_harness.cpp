// A robot as one cluster of generalized_rbda (ROAM-Lab-ND), timed state by state.
//
//   harness ROBOT STATES      then commands on stdin, one a line, answers on stdout:
//     time ROUTE REPEATS 1       seconds of evaluating all states REPEATS times
//     write ROUTE PATH           results of all states as doubles, row by row
// Routes: inverse (drive forces), forward (accelerations of the tree).
//
// ROBOT is text: gravity, joints in depth-first order, loops with the rows they hold, independent rates, drives.
// STATES is binary: n, nq, nv as int64, then q (n, nq), rates (n, nv), forces (n, nv), accelerations (n, nv).
// A free joint has positions (p, quaternion wxyz) and rates (w, v) in body axes, as the library has it.
//
// Every robot of the table is one cluster: each of its bodies is in a loop with the others. The library's recursions then
// have a single step, its dense projection onto the independent rates. Its own loop constraints are for revolute joints
// and symbolic; the one here is numeric and takes sliding and free joints too, which only helps it.

#include <chrono>
#include <cstdint>
#include <fstream>
#include <iostream>
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

template <class Vector> void read(std::istream& in, Vector& x) {
  for (Eigen::Index k = 0; k < x.size(); ++k) in >> x[k];
}

Matrix3d read_matrix(std::istream& in) {
  Matrix3d R;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) in >> R(i, j);
  return R;
}

struct Robot {
  Tree tree;
  ClusterTreeModel<double> model;
  std::shared_ptr<NumericLoops> loops;
};

std::vector<int> read_numbers(std::istream& in) {
  std::size_t n;
  in >> n;
  std::vector<int> found(n);
  for (int& x : found) in >> x;
  return found;
}

End read_end(std::istream& in) {
  End e;
  in >> e.link;
  --e.link;
  read(in, e.p);
  e.R = read_matrix(in);
  return e;
}

void read_robot(const char* path, Robot& robot) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(std::string("cannot read ") + path);
  Tree& tree = robot.tree;
  std::vector<Body<double>> bodies;
  std::vector<JointPtr<double>> joints;
  std::string word;
  while (in >> word) {
    if (word == "gravity") {
      Vector3d g;
      read(in, g);
      robot.model.setGravity(g);
    } else if (word == "joint") {
      Link link;
      in >> link.parent >> link.kind;
      --link.parent;
      read(in, link.p);
      link.R = read_matrix(in);
      double mass;
      Vector3d center;
      in >> mass;
      read(in, center);
      const Matrix3d tensor = read_matrix(in);
      const std::string name = "b" + std::to_string(tree.links.size());
      const std::string parent = link.parent < 0 ? "ground" : "b" + std::to_string(link.parent);
      const spatial::Transform<double> at(link.R.transpose(), link.p);
      bodies.push_back(robot.model.registerBody(name, SpatialInertia<double>(mass, center, tensor), parent, at));
      if (link.kind == "free") {
        joints.push_back(std::make_shared<Joints::Free<double>>());
      } else {
        link.axis = link.kind[1] - 'X';
        const ori::CoordinateAxis axes[] = {ori::CoordinateAxis::X, ori::CoordinateAxis::Y, ori::CoordinateAxis::Z};
        if (link.kind[0] == 'P')
          joints.push_back(std::make_shared<Slide>(link.axis));
        else
          joints.push_back(std::make_shared<Joints::Revolute<double>>(axes[link.axis]));
      }
      link.q = tree.nq, link.v = tree.nv;
      tree.nq += link.nq(), tree.nv += link.nv();
      tree.links.push_back(link);
    } else if (word == "loop") {
      Loop loop;
      loop.first = read_end(in);
      loop.second = read_end(in);
      for (int& held : loop.held) {
        in >> held;
        tree.rows += held;
      }
      tree.loops.push_back(loop);
    } else if (word == "independent") {
      tree.independent = read_numbers(in);
    } else if (word == "drives") {
      tree.drives = read_numbers(in);
    } else {
      throw std::runtime_error("unknown word " + word);
    }
  }
  std::vector<bool> free(tree.nv, false);
  for (int k : tree.independent) free[k] = true;
  for (int k = 0; k < tree.nv; ++k)
    if (!free[k]) tree.dependent.push_back(k);
  if (int(tree.dependent.size()) != tree.rows) throw std::runtime_error("loops do not determine the dependent rates");
  robot.loops = std::make_shared<NumericLoops>(tree);
  std::shared_ptr<LoopConstraint::Base<double>> loops = robot.loops;
  robot.model.appendRegisteredBodiesAsCluster<ClusterJoints::Generic<double>>("robot", bodies, joints, loops);
}

struct State {
  VectorXd q, rates, forces, second;
};

std::vector<State> read_states(const char* path, const Tree& tree) {
  std::ifstream in(path, std::ios::binary);
  std::int64_t head[3];
  if (!in.read(reinterpret_cast<char*>(head), sizeof head)) throw std::runtime_error("no states");
  if (head[1] != tree.nq || head[2] != tree.nv) throw std::runtime_error("states of another robot");
  std::vector<State> states(head[0]);
  auto take = [&](VectorXd& to, std::int64_t n) {
    to.resize(n);
    in.read(reinterpret_cast<char*>(to.data()), n * sizeof(double));
  };
  for (auto& s : states) take(s.q, head[1]);
  for (auto& s : states) take(s.rates, head[2]);
  for (auto& s : states) take(s.forces, head[2]);
  for (auto& s : states) take(s.second, head[2]);
  if (!in) throw std::runtime_error("states end too early");
  return states;
}

VectorXd pick(const VectorXd& x, const std::vector<int>& at) {
  VectorXd found(at.size());
  for (std::size_t k = 0; k < at.size(); ++k) found[k] = x[at[k]];
  return found;
}

VectorXd evaluate(Robot& robot, const State& state, bool inverse) {
  const Tree& tree = robot.tree;
  const JointCoordinate<double> q(state.q, true), v(pick(state.rates, tree.independent), false);
  robot.model.setState(ModelState<double>{JointState<double>(q, v)});
  if (inverse) {
    const VectorXd load = robot.model.inverseDynamics(pick(state.second, tree.independent));
    MatrixXd S(tree.independent.size(), tree.drives.size());
    for (std::size_t k = 0; k < tree.drives.size(); ++k) S.col(k) = robot.loops->G().row(tree.drives[k]).transpose();
    return S.partialPivLu().solve(load);
  }
  robot.model.forwardKinematics();  // G is there from now on
  const VectorXd second = robot.model.forwardDynamics(robot.loops->G().transpose() * state.forces);
  return robot.loops->G() * second + robot.loops->g();
}

int main(int argc, char** argv) try {
  if (argc != 3) throw std::runtime_error("harness ROBOT STATES");
  Robot robot;
  read_robot(argv[1], robot);
  const std::vector<State> states = read_states(argv[2], robot.tree);
  std::cout.precision(9);
  std::string command, route;
  while (std::cin >> command >> route) {
    const bool inverse = route == "inverse";
    if (command == "time") {
      int repeats, threads;
      std::cin >> repeats >> threads;  // one, whatever is asked
      double sum = 0;
      const auto start = std::chrono::steady_clock::now();
      for (int r = 0; r < repeats; ++r)
        for (const auto& s : states) sum += evaluate(robot, s, inverse)[0];
      const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      std::cout << (sum == sum ? took : -took);
    } else if (command == "write") {
      std::string path;
      std::cin >> std::ws;
      std::getline(std::cin, path);
      std::ofstream file(path, std::ios::binary);
      for (const auto& s : states) {
        const VectorXd out = evaluate(robot, s, inverse);
        file.write(reinterpret_cast<const char*>(out.data()), std::streamsize(out.size() * sizeof(double)));
      }
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
