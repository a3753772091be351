/* SPDX-License-Identifier: MIT
 *
 * The parts of `ioctls`: a program that makes a pseudo-random sequence of valid and invalid ioctls on a vc4 render node
 * and prints one line per call. The same seed makes the same sequence on every system, so that the logs of two kernels,
 * or of a kernel and of the model, can be compared line by line (compare.py).
 *
 * A line is `EPISODE.CALL NAME KIND {arguments} = RESULT {outputs}`. It has no raw descriptors, mmap offsets, sequence
 * numbers or times, because these may differ. Handles of buffers, syncobjs and monitors are the lowest free numbers of
 * an open file on every system, so they are printed.
 *
 * Every call draws its random numbers from a generator that starts from (seed, episode, call): a result that differs
 * never changes which calls follow, only what they act upon. An episode opens new files, so a difference does not
 * reach the next episode.
 *
 * Some calls are avoided, because kernels read outside their memory, leak a lock or crash: docs/kernel-rules.md lists
 * them, and the word HAZARD marks the code that avoids them.
 */
#ifndef IOCTLS_H
#define IOCTLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <drm.h>
#include <vc4_drm.h>

#define PAGE_B 4096u

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

/* -- ioctls_log.c: random numbers and lines ----------------------------------------------------------------------- */

void rng_start(uint64_t seed, uint32_t episode, uint32_t call);
/* One call of these per expression: C does not say which operand comes first. */
uint32_t rnd(uint32_t below); /* 0 .. below - 1 */
uint32_t rnd32(void);
bool chance(uint32_t percent);
#define PICK(array) ((array)[rnd(COUNT_OF(array))])

/* A line is built by these in this order: name and kind, arguments, result, outputs, end. */
void line_begin(const char *name, const char *kind);
void line_kind(const char *kind); /* adds to the kind */
__attribute__((format(printf, 1, 2))) void line_arg(const char *fmt, ...);
void line_result(int err); /* 0 or an errno */
__attribute__((format(printf, 1, 2))) void line_out(const char *fmt, ...);
void line_end(void);
void line_episode(uint32_t episode);
void line_flush(void);

uint32_t digest(const void *data, size_t size_B);

/* -- state of an episode ------------------------------------------------------------------------------------------ */

/* Buffers of the jobs, in the order of the job's table. They are made when an episode starts and never closed by their
 * handle. HAZARD: a number that once named a program must not name an ordinary buffer in a shader record. */
enum job_bo {
    JOB_FS,
    JOB_VS,
    JOB_CS,
    JOB_VERTICES,
    JOB_INDICES,
    JOB_COLOR,
    JOB_ZS,
    JOB_TEXTURE,
    JOB_BO_COUNT,
    /* other programs, which replace JOB_FS or JOB_VS in the table */
    JOB_FS_TEXTURE = JOB_BO_COUNT,
    JOB_FS_TEXTURE_4,
    JOB_FS_DIRECT,
    JOB_FS_THREADED,
    JOB_MADE_COUNT
};

#define VERTICES_B 4096u
#define INDICES_B  4096u
#define SURFACE_B  65536u /* of colour and depth */
#define TEXTURE_B  (32u * 1024)

struct bo_slot {
    uint32_t handle; /* 0: never made */
    uint32_t size_B; /* as asked for, in whole pages */
    uint64_t offset; /* for mmap, from MMAP_BO; 0: not asked yet */
};

#define BO_SLOTS      12u
#define SYNC_SLOTS    4u
#define PERFMON_SLOTS 4u
#define FD_SLOTS      3u
#define FILES         2u

struct file {
    int fd;
    uint32_t job[JOB_MADE_COUNT];
    struct bo_slot bos[BO_SLOTS];
    uint32_t syncs[SYNC_SLOTS]; /* 0: none */
    uint32_t perfmons[PERFMON_SLOTS];
};

struct state {
    struct file files[FILES];
    int primes[FD_SLOTS], syncobj_fds[FD_SLOTS], fences[FD_SLOTS]; /* dma-bufs, syncobjs, sync files; -1: none */
    uint64_t last_seqno;                                           /* of the last job that was accepted */
    bool has_seqno;
    bool is_busy; /* jobs were submitted since the last quiesce() */
    /* Addresses: */
    uint8_t *readable; /* a page of zeros that can only be read */
    uint8_t *edge;     /* the last byte of a page that is followed by one without access */
    uint8_t *none;     /* a page without access */
};
extern struct state st;

/* ioctl(). 0 or an errno. */
int call(int fd, unsigned long request, void *arg);
/* Waits until no job runs, and until the kernel has put its buffers away, which it does a little later. */
void quiesce(void);
/* Puts a descriptor into a slot and closes the slot's old one. */
void put_fd(int *slot, int fd);
struct file *any_file(void);
/* An address that cannot be read (nor written), and its name. */
void *bad_address(const char **name_out);
void create_bo(struct file *file, uint32_t *handle_out, uint32_t size_B);
void create_program(struct file *file, uint32_t *handle_out, uint32_t program);
/* Maps a buffer for writing without printing anything; NULL when that fails. */
void *map_quietly(struct file *file, uint32_t handle, size_t size_B);

/* -- ioctls_programs.c: QPU programs ------------------------------------------------------------------------------ */

/* The programs of jobs come first. */
enum {
    PROGRAM_FS_COLOR,
    PROGRAM_VS,
    PROGRAM_CS,
    PROGRAM_FS_TEXTURE,
    PROGRAM_FS_TEXTURE_4,
    PROGRAM_FS_DIRECT,
    PROGRAM_FS_THREADED,
};

struct program {
    const char *name;
    const uint64_t *words;
    uint32_t count;
    bool is_valid;
};

extern const struct program programs[];
extern const uint32_t program_count;

/* -- the calls, by subject; each prints its lines ----------------------------------------------------------------- */

void random_bo_call(void);     /* ioctls_bo.c */
void random_shader_call(void); /* ioctls_bo.c */
void random_map_call(void);    /* ioctls_map.c */
void random_prime_call(void);  /* ioctls_map.c */
void random_submit_call(void); /* ioctls_submit.c */
void random_wait_call(void);   /* ioctls_wait.c */
void random_sync_call(void);   /* ioctls_sync.c */
void random_fence_call(void);  /* ioctls_sync.c */
void random_core_call(void);   /* ioctls_core.c */
/* Submits a job that obeys all rules. */
void submit_valid(struct file *file);

#endif
