/* What an importer of FMI 2.0 gives: where messages go, and memory. */
#ifndef fmu_MEMORY2_H
#define fmu_MEMORY2_H

#include <stdlib.h>

typedef struct {
    void (*log)(void *environment, const char *instance, int status, const char *category, const char *message, ...);
    void *(*allocate)(size_t n, size_t size);
    void (*release)(void *memory);
    void (*finished)(void *environment, int status);
    void *environment;
} Callbacks;

/* Where one of both functions is missing, the standard library's are used. */
static inline int has_memory(const Callbacks *c) {
    return c->allocate && c->release;
}

static inline void *allocate2(const Callbacks *c, size_t size) {
    return has_memory(c) ? c->allocate(1, size) : calloc(1, size);
}

static inline void release2(const Callbacks *c, void *memory) {
    if (has_memory(c)) {
        c->release(memory);
    } else {
        free(memory);
    }
}

#endif
