/* Directional and adjoint derivatives of outputs, forces and rates by inputs and continuous states; by time, on which nothing depends
   where drives are given from outside. */
#include <string.h>

#include "fmu_core.h"

/* Slopes by motions along v, velocities, own states and a row; those of rotations by hand. */

typedef struct {
    double q[fmu_N(fmu_NV)], v[fmu_N(fmu_NV)], own[fmu_N(fmu_NI)], row[fmu_ROW], all[fmu_N(fmu_ALL)];
} Slopes;

/* Where an unknown stands among the results of the programs of derivatives; -1 elsewhere. */
static int result_of(int kind, int k) {
    switch (kind) {
    case fmu_IS_ACCELERATION: return k;
    case fmu_IS_OWN_RATE: return fmu_NV + k;
    case fmu_IS_TOLD: return fmu_NV + fmu_NI + k;
    case fmu_IS_FORCE: return fmu_NV + fmu_NI + fmu_TOLD + k;
    default: return -1;
    }
}

static const fmu_Turned *rotation_of(int entry, int *index, int *axis) {
    for (int i = 0; i < fmu_TURNED; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (fmu_turned[i].entry[k] == entry) {
                *index = i;
                *axis = k;
                return &fmu_turned[i];
            }
        }
    }
    return NULL;
}

/* A known's share in the slopes (adjoint 0), or the share of the slopes in a known (1). */
static double known_share(fmu_Model *m, int kind, int k, double seed, Slopes *s, int adjoint) {
    double sum = 0.0;
#define SHARE(place, factor)              \
    do {                                  \
        if (adjoint) {                    \
            sum += (factor) * (place);    \
        } else {                          \
            (place) += (factor) * seed;   \
        }                                 \
    } while (0)
    if (kind == fmu_IS_POSITION) {
        int index = 0, axis = 0;
        const fmu_Turned *t = rotation_of(k, &index, &axis);
        if (t) {
            double inverse[3][3], along[3][3], plain[3][3];
            fmu_rotation_slopes(m, index, inverse, along, plain);
            for (int i = 0; i < 3; ++i) {
                SHARE(s->q[t->entry[i]], plain[i][axis]);
            }
        } else {
            SHARE(s->q[k], 1.0);
        }
        for (int d = 0; fmu_MODE == 2 && d < fmu_DRIVES; ++d) {
            if (fmu_drive_v[d] == k) {
                SHARE(s->row[fmu_FIRST + d * (fmu_DEGREE + 1)], 1.0);
            }
        }
    } else if (kind == fmu_IS_VELOCITY) {
        SHARE(s->v[k], 1.0);
        for (int d = 0; fmu_MODE == 2 && d < fmu_DRIVES; ++d) {
            if (fmu_drive_v[d] == k) {
                SHARE(s->row[fmu_FIRST + d * (fmu_DEGREE + 1) + 1], 1.0);
            }
        }
    } else if (kind == fmu_IS_OWN) {
        SHARE(s->own[k], 1.0);
    } else if (kind == fmu_IS_INPUT) {
        SHARE(s->row[fmu_input_place[k]], fmu_MODE == 2 && k < fmu_DRIVES ? 0.5 : 1.0);
    }
#undef SHARE
    return sum;
}

/* Slope of the rate of position k by a position or velocity j. */
static double position_slope(fmu_Model *m, int k, int kind, int j) {
    int index = 0, axis = 0, other = 0, by = 0;
    if ((kind != fmu_IS_POSITION && kind != fmu_IS_VELOCITY) || fmu_plain[k] >= 0) {
        return kind == fmu_IS_VELOCITY && j == k ? 1.0 : 0.0;
    }
    rotation_of(k, &index, &axis);
    if (!rotation_of(j, &other, &by) || other != index) {
        return 0.0;
    }
    double inverse[3][3], along[3][3], plain[3][3];
    fmu_rotation_slopes(m, index, inverse, along, plain);
    return (kind == fmu_IS_POSITION ? along : inverse)[axis][by];
}

int fmu_derivative(fmu_Model *m, const uint32_t *unknowns, size_t rows, const uint32_t *knowns, size_t columns,
                   const double *seed, double *result, int adjoint) {
    Slopes s;
    int k = 0, j = 0;
    if (!fmu_DERIVATIVES) {
        return fmu_complain(m, fmu_ERROR, "this model was exported without derivatives");
    }
    for (size_t i = 0; i < rows; ++i) {
        const int kind = fmu_kind_of(unknowns[i], &k);
        if (kind != fmu_IS_POSITION_RATE && result_of(kind, k) < 0) {
            return fmu_complain(m, fmu_ERROR, "derivative of variable %lu: give outputs and derivatives of states", (unsigned long)unknowns[i]);
        }
    }
    for (size_t i = 0; i < columns; ++i) {
        const int kind = fmu_kind_of(knowns[i], &k);
        const int still = kind == fmu_IS_TIME && fmu_MODE != 0;
        if (kind != fmu_IS_POSITION && kind != fmu_IS_VELOCITY && kind != fmu_IS_OWN && kind != fmu_IS_INPUT && !still) {
            return fmu_complain(m, fmu_ERROR, "derivative by variable %lu: give inputs and continuous states", (unsigned long)knowns[i]);
        }
    }
    int status = fmu_evaluate(m);
    if (status != fmu_OK) {
        return status;
    }
    uint64_t failed;
    memset(&s, 0, sizeof s);
    if (!adjoint) {
        for (size_t i = 0; i < columns; ++i) {
            const int kind = fmu_kind_of(knowns[i], &k);
            known_share(m, kind, k, seed[i], &s, 0);
        }
        failed = fmu_forward(m->prepared, m->now.q, m->now.v, m->now.own, m->row, m->now.time, s.q, s.v, s.own, s.row, s.all);
    } else {
        for (size_t i = 0; i < rows; ++i) {
            const int kind = fmu_kind_of(unknowns[i], &k);
            if (kind != fmu_IS_POSITION_RATE) {
                s.all[result_of(kind, k)] += seed[i];
            }
        }
        failed = fmu_adjoint(m->prepared, m->now.q, m->now.v, m->now.own, m->row, m->now.time, s.all, s.q, s.v, s.own, s.row);
    }
    if (failed) {
        return fmu_failed(m, adjoint ? fmu_OF_ADJOINT : fmu_OF_FORWARD, failed, fmu_DISCARD);
    }
    for (size_t i = 0; i < (adjoint ? columns : rows); ++i) {
        const int kind = fmu_kind_of(adjoint ? knowns[i] : unknowns[i], &k);
        result[i] = adjoint ? known_share(m, kind, k, 0.0, &s, 1) : kind == fmu_IS_POSITION_RATE ? 0.0 : s.all[result_of(kind, k)];
    }
    for (size_t i = 0; i < rows; ++i) {
        if (fmu_kind_of(unknowns[i], &k) == fmu_IS_POSITION_RATE) {
            for (size_t l = 0; l < columns; ++l) {
                const int kind = fmu_kind_of(knowns[l], &j);
                const double slope = position_slope(m, k, kind, j);
                if (adjoint) {
                    result[l] += slope * seed[i];
                } else {
                    result[i] += slope * seed[l];
                }
            }
        }
    }
    return fmu_OK;
}
