/* Snapshots: copies of the state of one instance, and bytes of them. An instance knows those it gave away, so that one that is no longer
   there, or is of another instance, is told. */
#include <string.h>

#include "fmu_core.h"

static const char magic[] = fmu_TOKEN;

/* The snapshot a pointer leads to; NULL, and a message, where it is none of this instance. */
static fmu_Snapshot *find(fmu_Model *m, const void *pointer, const char *function) {
    for (fmu_Snapshot *own = m->snapshots; own; own = own->next) {
        if (own == pointer) {
            return own;
        }
    }
    fmu_complain(m, fmu_ERROR, "%s: this is no state that was taken from this instance and not freed since; a state reaches another instance "
                 "as bytes", function);
    return NULL;
}

/* Copies a state to a snapshot: that at the place, a new one where there is none. */
int fmu_keep(fmu_Model *m, const fmu_State *state, void **place, const char *function) {
    fmu_Snapshot *own = NULL;
    if (*place) {
        own = find(m, *place, function);
        if (!own) {
            return fmu_ERROR;
        }
    } else {
        own = m->allocate(m, sizeof *own);
        if (!own) {
            return fmu_complain(m, fmu_ERROR, "%s: no memory for a state", function);
        }
        own->next = m->snapshots;
        m->snapshots = own;
        *place = own;
    }
    own->state = *state;
    return fmu_OK;
}

int fmu_set_back(fmu_Model *m, const void *snapshot, const char *function) {
    const fmu_Snapshot *own = find(m, snapshot, function);
    if (!own) {
        return fmu_ERROR;
    }
    fmu_restore(m, &own->state);
    return fmu_OK;
}

int fmu_let_go(fmu_Model *m, void **place, const char *function) {
    if (!place || !*place) {
        return fmu_OK;
    }
    fmu_Snapshot *own = find(m, *place, function), **before = &m->snapshots;
    if (!own) {
        return fmu_ERROR;
    }
    while (*before != own) {
        before = &(*before)->next;
    }
    *before = own->next;
    m->release(m, own);
    *place = NULL;
    return fmu_OK;
}

void fmu_let_all_go(fmu_Model *m) {
    while (m->snapshots) {
        fmu_Snapshot *own = m->snapshots;
        m->snapshots = own->next;
        m->release(m, own);
    }
}

/* A number that follows from all bytes: spoilt ones are told. */
static uint64_t check_sum(const unsigned char *bytes, size_t n) {
    uint64_t sum = 14695981039346656037u;
    for (size_t k = 0; k < n; ++k) {
        sum = (sum ^ bytes[k]) * 1099511628211u;
    }
    return sum;
}

static size_t packed_size(void) {
    return sizeof magic + sizeof(fmu_State) + sizeof(uint64_t);
}

int fmu_count_bytes(fmu_Model *m, const void *snapshot, size_t *size, const char *function) {
    if (!find(m, snapshot, function)) {
        return fmu_ERROR;
    }
    *size = packed_size();
    return fmu_OK;
}

int fmu_pack(fmu_Model *m, const void *snapshot, unsigned char *bytes, size_t size, const char *function) {
    const fmu_Snapshot *own = find(m, snapshot, function);
    if (!own) {
        return fmu_ERROR;
    }
    if (size < packed_size()) {
        return fmu_complain(m, fmu_ERROR, "%s: %lu bytes for a state of %lu", function, (unsigned long)size, (unsigned long)packed_size());
    }
    memcpy(bytes, magic, sizeof magic);
    memcpy(bytes + sizeof magic, &own->state, sizeof own->state);
    const uint64_t sum = check_sum(bytes, sizeof magic + sizeof own->state);
    memcpy(bytes + sizeof magic + sizeof own->state, &sum, sizeof sum);
    return fmu_OK;
}

int fmu_unpack(fmu_Model *m, const unsigned char *bytes, size_t size, void **place, const char *function) {
    const size_t n = sizeof magic + sizeof(fmu_State);
    fmu_State read;
    uint64_t sum = 0;
    if (size == packed_size()) {
        memcpy(&sum, bytes + n, sizeof sum);
    }
    if (size != packed_size() || memcmp(bytes, magic, sizeof magic) != 0 || sum != check_sum(bytes, n)) {
        return fmu_complain(m, fmu_ERROR, "%s: these bytes are no state of this model", function);
    }
    memcpy(&read, bytes + sizeof magic, sizeof read);
    if (read.kind != m->kind) {
        return fmu_complain(m, fmu_ERROR, "%s: these bytes are a state of %s", function,
                            m->kind == fmu_STEPS ? "Model Exchange, the instance is of Co-Simulation"
                                                 : "Co-Simulation, the instance is of Model Exchange");
    }
    return fmu_keep(m, &read, place, function);
}

void fmu_restore(fmu_Model *m, const fmu_State *state) {
    m->designed = m->designed && memcmp(m->now.design, state->design, sizeof state->design) == 0;
    m->now = *state;
    m->fresh = 0;
}
