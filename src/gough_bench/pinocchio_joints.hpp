// The joint types a robot's tree is made of. Pinocchio compiles every algorithm for every type of its collection; with
// these eight instead of its twenty-five the harness builds faster and dispatches over fewer cases.

#pragma once

template <typename Scalar_, int Options_> struct FewJoints {
  typedef Scalar_ Scalar;
  static constexpr int Options = Options_;

  typedef pinocchio::JointModelRevoluteTpl<Scalar, Options, 0> JointModelRX;
  typedef pinocchio::JointModelRevoluteTpl<Scalar, Options, 1> JointModelRY;
  typedef pinocchio::JointModelRevoluteTpl<Scalar, Options, 2> JointModelRZ;
  typedef pinocchio::JointModelPrismaticTpl<Scalar, Options, 0> JointModelPX;
  typedef pinocchio::JointModelPrismaticTpl<Scalar, Options, 1> JointModelPY;
  typedef pinocchio::JointModelPrismaticTpl<Scalar, Options, 2> JointModelPZ;
  typedef pinocchio::JointModelSphericalTpl<Scalar, Options> JointModelSpherical;
  typedef pinocchio::JointModelFreeFlyerTpl<Scalar, Options> JointModelFreeFlyer;
  typedef pinocchio::JointModelMimicTpl<Scalar, Options, ::FewJoints> JointModelMimic;
  typedef boost::variant<JointModelRX, JointModelRY, JointModelRZ, JointModelPX, JointModelPY, JointModelPZ,
                         JointModelSpherical, JointModelFreeFlyer>
      JointModelVariant;

  typedef pinocchio::JointDataRevoluteTpl<Scalar, Options, 0> JointDataRX;
  typedef pinocchio::JointDataRevoluteTpl<Scalar, Options, 1> JointDataRY;
  typedef pinocchio::JointDataRevoluteTpl<Scalar, Options, 2> JointDataRZ;
  typedef pinocchio::JointDataPrismaticTpl<Scalar, Options, 0> JointDataPX;
  typedef pinocchio::JointDataPrismaticTpl<Scalar, Options, 1> JointDataPY;
  typedef pinocchio::JointDataPrismaticTpl<Scalar, Options, 2> JointDataPZ;
  typedef pinocchio::JointDataSphericalTpl<Scalar, Options> JointDataSpherical;
  typedef pinocchio::JointDataFreeFlyerTpl<Scalar, Options> JointDataFreeFlyer;
  typedef pinocchio::JointDataMimicTpl<Scalar, Options, ::FewJoints> JointDataMimic;
  typedef boost::variant<JointDataRX, JointDataRY, JointDataRZ, JointDataPX, JointDataPY, JointDataPZ,
                         JointDataSpherical, JointDataFreeFlyer>
      JointDataVariant;
};
