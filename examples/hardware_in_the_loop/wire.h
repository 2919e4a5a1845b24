/* What travels between a robot and its controller: one datagram a sample each way. C99, C++ too; no library.

   The robot numbers its samples from 0 and sends what its encoders show. The controller answers every datagram that it
   understands with one command, under the same number. All numbers are little-endian, whatever the machine:

   byte  type       name
     0   uint32     HIL_MAGIC: the letters GHL and the version of this format
     4   uint16     flags, HIL_... below
     6   uint16     count: how many values follow, at most HIL_MOST
     8   uint64     sequence: number of the sample
    16   uint64     sent: when it was sent, ns of the sender's clock
    24   uint64     echo: of a command, `sent` of the reading that it answers; so the robot learns the time of a
                    round trip from its own clock alone
    32   uint64     status: of a command, what the step of the law returned; 0 is good
    40   double[]   values: readings (rad, m) or forces (N m, N), in the order of the law's header

   A datagram that is longer or shorter than its count says, of another version, or of the wrong kind is none:
   hil_unpack returns 0 and the receiver counts it. UDP has a checksum of its own; where another bus has none, add one. */
#ifndef HIL_WIRE_H
#define HIL_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HIL_MAGIC 0x314C4847u /* "GHL1" */
#define HIL_MOST 32           /* values of a datagram */
#define HIL_HEAD 40           /* bytes before the values */
#define HIL_BYTES (HIL_HEAD + 8 * HIL_MOST)

enum {
    HIL_READING = 1, /* from the robot */
    HIL_COMMAND = 2, /* from the controller */
    HIL_STOPPED = 4, /* the sender has stopped, and stays so until somebody starts it again */
    HIL_LATE = 8,    /* of a command: the reading was older than one already used, or came twice; no new force */
    HIL_END = 16     /* of a reading: the rehearsal is over */
};

typedef struct {
    uint16_t flags;
    uint16_t count;
    uint64_t sequence;
    uint64_t sent;
    uint64_t echo;
    uint64_t status;
    double values[HIL_MOST];
} hil_packet;

static inline void hil_put(uint8_t *to, uint64_t value, size_t bytes)
{
    for (size_t k = 0; k < bytes; k++) {
        to[k] = (uint8_t)(value >> (8 * k));
    }
}

static inline uint64_t hil_get(const uint8_t *from, size_t bytes)
{
    uint64_t value = 0;
    for (size_t k = 0; k < bytes; k++) {
        value |= (uint64_t)from[k] << (8 * k);
    }
    return value;
}

/* The bytes of a packet; returns how many. Values beyond HIL_MOST are left out. */
static inline size_t hil_pack(uint8_t bytes[HIL_BYTES], const hil_packet *packet)
{
    const uint16_t count = packet->count < HIL_MOST ? packet->count : HIL_MOST;
    hil_put(bytes, HIL_MAGIC, 4);
    hil_put(bytes + 4, packet->flags, 2);
    hil_put(bytes + 6, count, 2);
    hil_put(bytes + 8, packet->sequence, 8);
    hil_put(bytes + 16, packet->sent, 8);
    hil_put(bytes + 24, packet->echo, 8);
    hil_put(bytes + 32, packet->status, 8);
    for (size_t k = 0; k < count; k++) {
        uint64_t bits;
        memcpy(&bits, &packet->values[k], 8);
        hil_put(bytes + HIL_HEAD + 8 * k, bits, 8);
    }
    return HIL_HEAD + 8 * (size_t)count;
}

/* The packet of some bytes; 1, or 0 where they are none of this kind (HIL_READING, HIL_COMMAND) with `count` values. */
static inline int hil_unpack(hil_packet *packet, const uint8_t *bytes, size_t size, unsigned kind, size_t count)
{
    if (size < HIL_HEAD || count > HIL_MOST || size != HIL_HEAD + 8 * count || hil_get(bytes, 4) != HIL_MAGIC) {
        return 0;
    }
    packet->flags = (uint16_t)hil_get(bytes + 4, 2);
    packet->count = (uint16_t)hil_get(bytes + 6, 2);
    if (packet->count != count || (packet->flags & (unsigned)(HIL_READING | HIL_COMMAND)) != kind) {
        return 0;
    }
    packet->sequence = hil_get(bytes + 8, 8);
    packet->sent = hil_get(bytes + 16, 8);
    packet->echo = hil_get(bytes + 24, 8);
    packet->status = hil_get(bytes + 32, 8);
    for (size_t k = 0; k < count; k++) {
        const uint64_t bits = hil_get(bytes + HIL_HEAD + 8 * k, 8);
        memcpy(&packet->values[k], &bits, 8);
    }
    return 1;
}

#endif
