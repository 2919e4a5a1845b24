/* One instance of the model, and what both versions of the interface do with it. Sizes and tables: fmu_model.h.

   Everything that changes stands in fmu_State, numbers alone: a snapshot is a copy of it. Nothing is allocated but an instance
   and snapshots, and nothing static changes. */
#ifndef fmu_CORE_H
#define fmu_CORE_H

#include <stddef.h>
#include <stdint.h>

#include "fmu_model.h"

/* Categories of messages, as bits. */
enum { fmu_ERRORS = 1, fmu_DISCARDS = 2 };
enum { fmu_OK = 0, fmu_WARNING, fmu_DISCARD, fmu_ERROR, fmu_FATAL };
enum { fmu_EXCHANGE = 1, fmu_STEPS = 2 };
enum {
    fmu_MADE = 1,
    fmu_INITIALISING = 2,
    fmu_EVENT = 4,
    fmu_CONTINUOUS = 8,
    fmu_STEPPING = 16,
    fmu_STEP_FAILED = 32,
    fmu_TERMINATED = 64,
    fmu_BROKEN = 128,
    fmu_ANY = 255
};

/* Kinds of variables, in the order of their value references. */
enum {
    fmu_IS_TIME = 0,
    fmu_IS_INPUT,
    fmu_IS_DESIGN,
    fmu_IS_POSITION,
    fmu_IS_VELOCITY,
    fmu_IS_OWN,
    fmu_IS_POSITION_RATE,
    fmu_IS_ACCELERATION,
    fmu_IS_OWN_RATE,
    fmu_IS_TOLD,
    fmu_IS_FORCE,
    fmu_IS_JOINT,
    fmu_KINDS
};

/* phase: one of the above. kind: fmu_EXCHANGE or fmu_STEPS. piece: row of the motion's table. event: when the clock ticks next. open: 1 where q is yet to follow
   from the positions. reference: where the charts of rotations begin. anchor: q from which closing the loops begins. farthest, part, sign: see
   fmu_watch.c. */
typedef struct {
    double phase, kind, time, stop, piece, event, open;
    double q[fmu_N(fmu_NQ)], v[fmu_N(fmu_NV)], own[fmu_N(fmu_NI)];
    double reference[fmu_N(fmu_NQ)], anchor[fmu_N(fmu_NQ)], position[fmu_N(fmu_NV)];
    double input[fmu_N(fmu_INPUTS)], design[fmu_N(fmu_DESIGN)];
    double farthest[fmu_N(fmu_GROUPS)], part[fmu_N(fmu_GROUPS)], sign[fmu_N(fmu_GROUPS)];
} fmu_State;

typedef struct fmu_Snapshot {
    fmu_State state;
    struct fmu_Snapshot *next;
} fmu_Snapshot;

/* after_error: the phase that an error leads to. logging: a bit for each category. before: what a step began with. */
typedef struct fmu_Model {
    fmu_State now, before;
    fmu_Snapshot *snapshots;
    int kind, after_error, fresh, designed, logging;
    double prepared[fmu_N(fmu_PREPARED)], row[fmu_ROW];
    double qdot[fmu_N(fmu_NQ)], vdot[fmu_N(fmu_NV)], flow[fmu_N(fmu_NI)], tau[fmu_N(fmu_DRIVES)], told[fmu_N(fmu_TOLD)];
    double position_rate[fmu_N(fmu_NV)];
    double stage_q[fmu_STAGES][fmu_N(fmu_NQ)], stage_v[fmu_STAGES][fmu_N(fmu_NV)], stage_own[fmu_STAGES][fmu_N(fmu_NI)];
    double work_q[fmu_N(fmu_NQ)], work_v[fmu_N(fmu_NV)], work_own[fmu_N(fmu_NI)], step[fmu_N(fmu_NU)];
    double way[fmu_N(fmu_NV)], none[fmu_N(fmu_NV)];
    double parameters[fmu_PARAMETERS], groups[fmu_N(fmu_ENTRIES)];
    void (*say)(struct fmu_Model *m, int status, const char *text);
    void *(*allocate)(const struct fmu_Model *m, size_t size);
    void (*release)(const struct fmu_Model *m, void *memory);
    void *environment;
    const void *callbacks;
    char *name, text[600];
} fmu_Model;

int fmu_kind_of(uint32_t reference, int *place);
void fmu_begin(fmu_Model *m);
int fmu_choose_logging(fmu_Model *m, int on, size_t n, const char *const *categories);
int fmu_complain(fmu_Model *m, int status, const char *format, ...);
int fmu_demand(fmu_Model *m, int kinds, int phases, const char *function);
int fmu_evaluate(fmu_Model *m);
int fmu_get(fmu_Model *m, const uint32_t *references, size_t n, double *values);
int fmu_set(fmu_Model *m, const uint32_t *references, size_t n, const double *values, int states);
int fmu_enter_initialisation(fmu_Model *m, double start, int stops, double stop);
int fmu_exit_initialisation(fmu_Model *m);
int fmu_set_time(fmu_Model *m, double time);
int fmu_get_states(fmu_Model *m, double *x, size_t n);
int fmu_set_states(fmu_Model *m, const double *x, size_t n);
int fmu_get_rates(fmu_Model *m, double *rates, size_t n);
int fmu_completed_step(fmu_Model *m, int *event);
int fmu_update(fmu_Model *m, int *states_changed, int *event_defined, double *event);
int fmu_advance(fmu_Model *m, double from, double step);

/* Of fmu_snapshots.c */
int fmu_keep(fmu_Model *m, const fmu_State *state, void **place, const char *function);
int fmu_set_back(fmu_Model *m, const void *snapshot, const char *function);
int fmu_let_go(fmu_Model *m, void **place, const char *function);
void fmu_let_all_go(fmu_Model *m);
int fmu_count_bytes(fmu_Model *m, const void *snapshot, size_t *size, const char *function);
int fmu_pack(fmu_Model *m, const void *snapshot, unsigned char *bytes, size_t size, const char *function);
int fmu_unpack(fmu_Model *m, const unsigned char *bytes, size_t size, void **place, const char *function);
void fmu_restore(fmu_Model *m, const fmu_State *state);

/* Of fmu_charts.c */
int fmu_place(fmu_Model *m);
void fmu_take_positions(fmu_Model *m);
void fmu_move_charts(fmu_Model *m);
double fmu_turned_by(const fmu_Model *m, int whole);
void fmu_position_rates(fmu_Model *m);
void fmu_rotation_slopes(const fmu_Model *m, int k, double inverse[3][3], double along[3][3], double plain[3][3]);
void fmu_unit_quaternions(double *q);

/* Of fmu_march.c */
void fmu_fill_row(fmu_Model *m, double begin, double end);
int fmu_piece(const fmu_Model *m);
void fmu_find_piece(fmu_Model *m);
void fmu_lead(const fmu_Model *m, double *q, double *v, double time);
int fmu_failed(fmu_Model *m, int program, uint64_t status, int grade);
int fmu_tick(fmu_Model *m);

/* Of fmu_slopes.c */
int fmu_derivative(fmu_Model *m, const uint32_t *unknowns, size_t rows, const uint32_t *knowns, size_t columns,
                   const double *seed, double *result, int adjoint);

/* Of fmu_watch.c */
int fmu_look(fmu_Model *m, int first, int grade);

#endif
