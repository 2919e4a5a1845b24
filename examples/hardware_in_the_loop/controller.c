/* The controller's side of a rehearsal: an exported law in a process of its own, fed by datagrams.

   Written for the files that `gough export ROBOT --controller … --name law` makes, with encoders as its only sensor:

       cc -std=c99 -O2 -I FOLDER controller.c FOLDER/law.c -lm -o controller
       ./controller [PORT [HOLD [IDLE [ADDRESS]]]]

   PORT 0 (default): a free one; it is printed first. HOLD (5): how many samples may be missing, or flagged by the law, one
   after the other. IDLE (5 s): it gives up when nothing comes for so long. ADDRESS: 127.0.0.1, or where else to listen.

   Readings are its clock. Samples that are missing before one that comes are filled in on a straight line between the
   readings on both sides, so that the law's motion, rates and states go on; no command is sent for them. A reading that is
   older than one already used is answered as late and changes nothing. Where more than HOLD samples are missing, or the law
   flagged more than HOLD in a row, it stops: forces of 0 and HIL_STOPPED from then on, whatever comes.

   At the end it prints what it counted as one line of JSON. Exit status: 0 at the end of a rehearsal, 3 when nothing came,
   2 for a wrong argument or no socket.

   What is not POSIX is `law.h` and `decide` below: on a microcontroller the same two go into the interrupt of the bus. */
#define _POSIX_C_SOURCE 200809L

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "law.h"
#include "wire.h"

typedef struct {
    law_state law;
    double last[LAW_ENCODERS_SIZE];
    double command[LAW_COMMAND_SIZE];
    uint64_t next; /* number of the sample that is due */
    uint64_t status;
    uint64_t hold, bad_in_a_row, stopped;
    uint64_t stepped, filled, late, flagged;
} controller;

static void step(controller *me, const double *encoders)
{
    me->status = law_step(&me->law, encoders, me->command);
    me->bad_in_a_row = me->status ? me->bad_in_a_row + 1 : 0;
    me->flagged += me->status != 0;
    me->stepped++;
    if (me->bad_in_a_row > me->hold) {
        me->stopped = 1;
    }
}

/* The command for a reading. At most HOLD + 1 steps of the law. */
static void decide(controller *me, const hil_packet *reading, hil_packet *command)
{
    const int late = reading->sequence < me->next;
    command->flags = HIL_COMMAND;
    if (late) {
        me->late++;
    } else if (!me->stopped) {
        const uint64_t missing = reading->sequence - me->next;
        if (missing > me->hold) {
            me->stopped = 1;
        } else {
            double between[LAW_ENCODERS_SIZE];
            for (uint64_t k = 1; k <= missing; k++) {
                const double part = (double)k / (double)(missing + 1);
                for (size_t i = 0; i < LAW_ENCODERS_SIZE; i++) {
                    const double before = me->next ? me->last[i] : reading->values[i]; /* nothing came before the first */
                    between[i] = before + part * (reading->values[i] - before);
                }
                step(me, between);
                me->filled++;
            }
            step(me, reading->values);
            memcpy(me->last, reading->values, sizeof me->last);
        }
        me->next = reading->sequence + 1;
    }
    command->flags = (uint16_t)(command->flags | (late ? HIL_LATE : 0) | (me->stopped ? HIL_STOPPED : 0));
    command->count = LAW_COMMAND_SIZE;
    command->sequence = reading->sequence;
    command->echo = reading->sent;
    command->status = me->status;
    for (size_t i = 0; i < LAW_COMMAND_SIZE; i++) {
        command->values[i] = me->stopped ? 0.0 : me->command[i];
    }
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A socket that waits `idle` seconds at most; -1 where there is none. */
static int listening(const char *address, long port, double idle)
{
    const int channel = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in at;
    socklen_t size = sizeof at;
    struct timeval wait;
    wait.tv_sec = (time_t)idle;
    wait.tv_usec = (suseconds_t)((idle - (double)wait.tv_sec) * 1e6);
    memset(&at, 0, sizeof at);
    at.sin_family = AF_INET;
    at.sin_port = htons((uint16_t)port);
    if (channel < 0 || inet_pton(AF_INET, address, &at.sin_addr) != 1 ||
        setsockopt(channel, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait) != 0 ||
        bind(channel, (struct sockaddr *)&at, sizeof at) != 0 || getsockname(channel, (struct sockaddr *)&at, &size) != 0) {
        fprintf(stderr, "no socket at %s, port %ld: %s\n", address, port, errno ? strerror(errno) : "no such address");
        return -1;
    }
    printf("port %u\n", (unsigned)ntohs(at.sin_port));
    fflush(stdout);
    return channel;
}

int main(int count, char **words)
{
    const long port = count > 1 ? strtol(words[1], NULL, 10) : 0;
    const long hold = count > 2 ? strtol(words[2], NULL, 10) : 5;
    const double idle = count > 3 ? strtod(words[3], NULL) : 5.0;
    controller me;
    uint64_t received = 0, refused = 0, longest = 0;
    int ended = 0;
    if (port < 0 || port > 65535 || hold < 0 || hold > 1000 || !(idle >= 0.001 && idle <= 3600.0)) {
        fprintf(stderr, "usage: controller [PORT [HOLD [IDLE [ADDRESS]]]], PORT to 65535, HOLD to 1000, IDLE 0.001 to 3600 s\n");
        return 2;
    }
    const int channel = listening(count > 4 ? words[4] : "127.0.0.1", port, idle);
    if (channel < 0) {
        return 2;
    }
    memset(&me, 0, sizeof me);
    law_init(&me.law);
    me.hold = (uint64_t)hold;
    while (!ended) {
        uint8_t bytes[HIL_BYTES + 1]; /* one more, so that longer datagrams are seen to be longer */
        hil_packet reading, command;
        struct sockaddr_in from;
        socklen_t size = sizeof from;
        const ssize_t got = recvfrom(channel, bytes, sizeof bytes, 0, (struct sockaddr *)&from, &size);
        if (got < 0) {
            if (errno == EINTR) {
                continue;
            }
            break;
        }
        received++;
        if (!hil_unpack(&reading, bytes, (size_t)got, HIL_READING, LAW_ENCODERS_SIZE)) {
            refused++;
            continue;
        }
        if (reading.flags & HIL_END) {
            ended = 1;
            break;
        }
        const uint64_t begun = now();
        decide(&me, &reading, &command);
        command.sent = now();
        longest = command.sent - begun > longest ? command.sent - begun : longest;
        const size_t length = hil_pack(bytes, &command);
        (void)sendto(channel, bytes, length, 0, (struct sockaddr *)&from, size);
    }
    close(channel);
    printf("{\"received\": %llu, \"refused\": %llu, \"late\": %llu, \"stepped\": %llu, \"filled\": %llu, \"flagged\": %llu, "
           "\"stopped\": %llu, \"longest_us\": %.1f}\n",
           (unsigned long long)received, (unsigned long long)refused, (unsigned long long)me.late,
           (unsigned long long)me.stepped, (unsigned long long)me.filled, (unsigned long long)me.flagged,
           (unsigned long long)me.stopped, (double)longest / 1e3);
    if (!ended) {
        fprintf(stderr, "nothing came for %g s: over\n", idle);
        return 3;
    }
    return 0;
}
