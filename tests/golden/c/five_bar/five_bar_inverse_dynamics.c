#include "five_bar_inverse_dynamics.h"

#include <math.h>

const char *const five_bar_inverse_dynamics_check_names[] = {
    "not_finite:result",
    "open_loop:pin",
    "folded:pin",
};

const double five_bar_inverse_dynamics_parameters[132] = {
    0.0, 0.0, (-9.81), (-0.12), 0.0, 0.0, 0.0, 0.0, 0.0, 0.8, 0.1, 0.0, 0.0, 0.0002, 0.0, 0.0, 0.0167,
    0.0, 0.0167, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25, 0.0, 0.0, 0.0,
    0.0, 0.0, 0.5, 0.0875, 0.0, 0.0, 0.0001, 0.0, 0.0, 0.0204125, 0.0, 0.0204125, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.0, 0.0, 0.0, 0.0, 0.35, 0.0, (-0.05), 0.0, 0.0, 0.0, 0.12, 0.0, 0.0, 0.0, 0.0, 0.0, 0.8, 0.1,
    0.0, 0.0, 0.0002, 0.0, 0.0, 0.0167, 0.0, 0.0167, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.0, 0.0, 0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0875, 0.0, 0.0, 0.0001, 0.0, 0.0, 0.0204125,
    0.0, 0.0204125, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.35, 0.0, 0.0, 0.0, 0.0, 0.0, 0.35,
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
};

int five_bar_inverse_dynamics_prepare(const double parameters[132], double prepared[14]) {
    /* Structure: these inputs must have the values the program was made with. */
    static const int place_0[70] = {
        0, 1, 4, 5, 11, 12, 14, 15, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 33, 34, 40, 41, 43, 44, 46,
        48, 49, 50, 51, 52, 53, 58, 64, 65, 71, 72, 74, 75, 77, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 93,
        94, 100, 101, 103, 104, 106, 108, 109, 110, 111, 112, 113, 118, 119, 124, 125, 129, 130, 131,
    };
    for (int k = 0; k < 70; ++k) {
        if (!(fabs(parameters[place_0[k]] - 0.0) <= 0.0)) {
            return place_0[k] + 1;
        }
    }
    static const int place_1[33] = {
        6, 7, 8, 29, 30, 31, 35, 36, 37, 54, 55, 56, 60, 61, 62, 66, 67, 68, 89, 90, 91, 95, 96, 97, 114,
        115, 116, 120, 121, 122, 126, 127, 128,
    };
    for (int k = 0; k < 33; ++k) {
        if (!(fabs(parameters[place_1[k]] - 0.0) <= 1e-12)) {
            return place_1[k] + 1;
        }
    }

    const double t0 = parameters[92] * parameters[92];
    const double t1 = parameters[98] * t0 + parameters[78];
    const double t2 = parameters[32] * parameters[32];
    const double t3 = parameters[38] * t2 + parameters[18];

    /* pin: rates [Long 2014, eq. 2], [Fried, eq. 41] */
    const double t4 = 1.0 / parameters[117];
    const double t5 = fabs(parameters[117]);

    prepared[0] = parameters[3];
    prepared[1] = parameters[32];
    prepared[2] = parameters[39];
    prepared[3] = parameters[47];
    prepared[4] = parameters[63];
    prepared[5] = parameters[92];
    prepared[6] = parameters[99];
    prepared[7] = parameters[107];
    prepared[8] = parameters[117];
    prepared[9] = parameters[123];
    prepared[10] = t1;
    prepared[11] = t3;
    prepared[12] = t4;
    prepared[13] = t5;
    return 0;
}

uint64_t five_bar_inverse_dynamics(
    const double q[4],
    const double v[2],
    const double acceleration[2],
    const double force[2],
    const double prepared[14],
    double tau[2]) {
    uint64_t status = 0;
    const double t0 = sin(q[0]);
    const double t1 = cos(q[0]);
    const double t2 = sin(q[1]);
    const double t3 = cos(q[1]);
    const double t4 = sin(q[2]);
    const double t5 = cos(q[2]);
    const double t6 = sin(q[3]);
    const double t7 = cos(q[3]);

    /* pin: closure [Briot 2014, eq. 28], [Long 2014, eq. 3] */
    const double t8 = prepared[1] * t2;
    const double t9 = prepared[1] * t3 + prepared[8];
    const double t10 = t1 * t3;
    const double t11 = t10 - t0 * t2;
    const double t12 = t1 * t2;
    const double t13 = t0 * t3 + t12;
    const double t14 = t5 * t11;
    const double t15 = t4 * t13 + t14;
    const double t16 = t5 * t13;
    const double t17 = t16 - t4 * t11;
    const double t18 = t7 * t15;
    const double t19 = t6 * t17 + t18;
    const double t20 = t7 * t17;
    const double t21 = t20 - t6 * t15;
    const double t22 = prepared[9] * t6;
    const double t23 = prepared[9] * t7 + prepared[5];
    const double t24 = t4 * t23;
    const double t25 = t5 * t22 + t24;
    const double t26 = t0 * t25;
    const double t27 = t1 * t25;
    const double t28 = prepared[0] - prepared[4];
    const double t29 = t28 - t5 * t23;
    const double t30 = t4 * t22 + t29;
    const double t31 = t0 * t30 + t27;
    const double t32 = t26 - t1 * t30;
    const double t33 = t2 * t31 - t9;
    const double t34 = t3 * t32 + t33;
    const double t35 = t3 * t31 + t8;
    const double t36 = t35 - t2 * t32;
    const double t37 = 1e-12 - t34 * t34;
    const double t38 = t37 - t36 * t36;
    status |= (uint64_t)!(t38 >= 0.0) << FIVE_BAR_INVERSE_DYNAMICS_OPEN_LOOP_PIN;
    const double t39 = prepared[9] * t21;
    const double t40 = prepared[9] * t19;
    const double t41 = t17 * t23;
    const double t42 = t41 - t15 * t22;
    const double t43 = t17 * t22;
    const double t44 = t15 * t23 + t43;

    /* pin: rates [Long 2014, eq. 2], [Fried, eq. 41] */
    const double t45 = v[0] * t8;
    const double t46 = t45 - v[1] * t42;
    const double t47 = v[1] * t44;
    const double t48 = 1.0 / t39;
    const double t49 = t46 * t48;
    const double t50 = t47 - v[0] * t9;
    const double t51 = t40 * t49 + t50;
    const double t52 = fabs(t39);
    status |= (uint64_t)!(t52 >= 3.48e-10) << FIVE_BAR_INVERSE_DYNAMICS_FOLDED_PIN;
    status |= (uint64_t)!(prepared[13] >= 3.5e-10) << FIVE_BAR_INVERSE_DYNAMICS_FOLDED_PIN;

    /* pin: accelerations [Long 2014, eq. 6, corrected], [Fried, eq. 53] */
    const double t53 = v[0] * prepared[1];
    const double t54 = v[0] * t53;
    const double t55 = t2 * t54;
    const double t56 = t51 * prepared[12] + v[0];
    const double t57 = prepared[8] * t56;
    const double t58 = t56 * t57;
    const double t59 = v[1] * prepared[5];
    const double t60 = v[1] * t59;
    const double t61 = t7 * t60;
    const double t62 = t6 * t60;
    const double t63 = v[1] + t49;
    const double t64 = prepared[9] * t63;
    const double t65 = t63 * t64 + t61;
    const double t66 = t3 * t54 + t58;
    const double t67 = t66 - acceleration[0] * t8;
    const double t68 = t21 * t62 + t67;
    const double t69 = acceleration[1] * t42 + t68;
    const double t70 = t69 - t19 * t65;
    const double t71 = t48 * t70;
    const double t72 = -(acceleration[0] * t9) - t55;
    const double t73 = t19 * t62 + t72;
    const double t74 = acceleration[1] * t44 + t73;
    const double t75 = t21 * t65 + t74;
    const double t76 = t75 - t40 * t71;

    /* left_rod: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t77 = acceleration[0] * prepared[1];
    const double t78 = t3 * t77 + t55;
    const double t79 = prepared[12] * t76 + acceleration[0];

    /* right_rod: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t80 = acceleration[1] * prepared[5];
    const double t81 = t7 * t80 + t62;
    const double t82 = acceleration[1] - t71;

    /* left_rod: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t83 = prepared[2] * t79;
    const double t84 = prepared[2] * t56;
    const double t85 = t56 * t84;
    const double t86 = prepared[3] * t79;
    const double t87 = prepared[2] * t78 + t86;

    /* right_rod: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t88 = prepared[6] * t82;
    const double t89 = prepared[6] * t63;
    const double t90 = t63 * t89;
    const double t91 = prepared[7] * t82;
    const double t92 = prepared[6] * t81 + t91;
    const double t93 = t7 * t88;
    const double t94 = t93 - t6 * t90;

    /* left_rod: recursion [Briot 2014, §3.2–3.3], [Fried, section 7.2] */
    const double t95 = t3 * t83;
    const double t96 = t95 - t2 * t85;

    /* pin: projection [Fried, eq. 94] */
    const double t97 = prepared[12] * t87;
    const double t98 = t40 * t97 + t92;
    const double t99 = t48 * t98;
    const double t100 = acceleration[0] * prepared[11] - force[0];
    const double t101 = t87 + t100;
    const double t102 = prepared[1] * t96 + t101;
    const double t103 = t102 - t9 * t97;
    const double t104 = t8 * t99 + t103;
    const double t105 = acceleration[1] * prepared[10] - force[1];
    const double t106 = t92 + t105;
    const double t107 = prepared[5] * t94 + t106;
    const double t108 = t44 * t97 + t107;
    const double t109 = t108 - t42 * t99;

    tau[0] = t104;
    tau[1] = t109;
    double finite = 0.0;
    finite += 0.0 * tau[0] + 0.0 * tau[1];
    status |= (uint64_t)!(finite == 0.0) << FIVE_BAR_INVERSE_DYNAMICS_NOT_FINITE_RESULT;
    return status;
}
