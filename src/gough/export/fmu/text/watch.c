/* Singular poses on the way. The dependent velocities follow from the independent ones by a matrix for each leg or loop; near a
   pose in which one is singular a step is worth little, and behind it the loops may close in another branch. */
#include <math.h>
#include <string.h>

#include "fmu_core.h"

#define NEAR 0.1
#define HALF 0.5
#define PER_STEP 0.1

/* 1/(|A| |A^-1|) of a matrix (n, n), Frobenius norms, of a single number its size; the sign of the determinant. */
static double distance(int n, const double *given, double *sign) {
    double a[fmu_N(fmu_WIDEST)][2 * fmu_N(fmu_WIDEST)], norm = 0.0, inverse = 0.0;
    *sign = 1.0;
    if (n == 1) {
        *sign = given[0] < 0.0 ? -1.0 : 1.0;
        return fmin(fabs(given[0]), 1.0);
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            a[i][k] = given[i * n + k];
            a[i][n + k] = i == k;
            norm += a[i][k] * a[i][k];
        }
    }
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i) {
            pivot = fabs(a[i][k]) > fabs(a[pivot][k]) ? i : pivot;
        }
        if (!(fabs(a[pivot][k]) > 0.0)) {
            return 0.0;
        }
        if (pivot != k) {
            double row[2 * fmu_N(fmu_WIDEST)];
            memcpy(row, a[k], sizeof row);
            memcpy(a[k], a[pivot], sizeof row);
            memcpy(a[pivot], row, sizeof row);
            *sign = -*sign;
        }
        *sign = a[k][k] < 0.0 ? -*sign : *sign;
        for (int i = 0; i < n; ++i) {
            const double share = i == k ? 0.0 : a[i][k] / a[k][k];
            for (int j = k; share != 0.0 && j < 2 * n; ++j) {
                a[i][j] -= share * a[k][j];
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            const double x = a[i][n + k] / a[i][i];
            inverse += x * x;
        }
    }
    return 1.0 / sqrt(norm * inverse);
}

/* Looks at q. first: whatever is seen is good. OK where no singular pose is near. */
int fmu_look(fmu_Model *m, int first, int grade) {
    const double *a = m->groups;
    if (!fmu_GROUPS) {
        return fmu_OK;
    }
    const uint64_t status = fmu_loops(m->prepared, m->now.q, m->groups);
    if (status) {
        return fmu_failed(m, fmu_OF_LOOPS, status, grade);
    }
    for (int k = 0; k < fmu_GROUPS; ++k) {
        double sign;
        const int n = fmu_group_sizes[k];
        const double found = distance(n, a, &sign);
        a += n * n;
        if (first) {
            m->now.farthest[k] = found;
            m->now.sign[k] = sign;
        }
        m->now.farthest[k] = fmax(m->now.farthest[k], found);
        const double part = found / m->now.farthest[k], before = first ? part : m->now.part[k];
        if (m->kind == fmu_STEPS && part < HALF && fabs(part - before) > PER_STEP * fmin(part, before)) {
            return fmu_complain(m, grade, "at t = %.9g s steps of %g s are too long for how fast %s comes near to a singular pose; export the robot "
                                "with shorter ones", m->now.time, fmu_STEP, fmu_group_names[k]);
        }
        m->now.part[k] = part;
        if (!(found >= NEAR * m->now.farthest[k]) || sign != m->now.sign[k]) {
            return fmu_complain(m, grade, "at t = %.9g s the independent velocities no longer determine those of %s well: a singular pose is near, "
                                "or was leapt over; stay away from it, take shorter steps, or export the robot with other independent "
                                "velocities", m->now.time, fmu_group_names[k]);
        }
    }
    return fmu_OK;
}
