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

#include "grbda_loops.hpp"

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
