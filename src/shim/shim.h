/* SPDX-License-Identifier: MIT
 *
 * libvc4_drm_shim.so: shows the model to unmodified programs as the two nodes of a vc4 DRM driver: the render node, and
 * the primary node with a display (shim_kms.h).
 *
 * It stands between a program and libc (LD_PRELOAD). Five things are made up: the nodes with their entries in sysfs
 * (shim_tree.c), open files of them (shim_node.c), ioctls on these (shim_ioctl.c and the files it calls), mappings, and
 * the kernel's messages about them (shim_uevent.c).
 * Everything else goes on to libc untouched. What it pretends is what a kernel shows on these nodes, refusals included;
 * the driver's description ("vc4 model shim") tells the two apart.
 */
#ifndef SHIM_SHIM_H
#define SHIM_SHIM_H

#include <pthread.h>
#include <stdio.h>
#include <sys/types.h>
#include "model/model.h"
#include "util/list.h"

#define SHIM_DRM_MAJOR    226
#define SHIM_LAST_CARD    63
#define SHIM_FIRST_RENDER 128
#define SHIM_LAST_RENDER  191

/* libc's own functions, past ours. */
#define SHIM_REAL(name) ((__typeof__(&name))shim_real(#name))
void *shim_real(const char *name);

/* -- shim_tree.c: made-up paths ----------------------------------------------------------------------------------- */

enum shim_kind { SHIM_NONE, SHIM_DIR, SHIM_FILE, SHIM_LINK, SHIM_NODE };

struct shim_entry {
    enum shim_kind kind;
    char path[128];    /* canonical: no links in it */
    char content[256]; /* of a file; where a link points to */
    uint64_t inode;
    unsigned minor; /* of a node */
};

/* What is at `path`; SHIM_NONE: not ours. A link at the very end is given as such, others are followed. */
struct shim_entry shim_lookup(const char *path);
/* The same, a link at the end followed. */
struct shim_entry shim_lookup_follow(const char *path);
/* The name of the `index`-th thing in a directory of ours; false when there is none. */
bool shim_list(const char *dir_path, uint32_t index, char name_out[64], enum shim_kind *kind_out);
/* An open file's node: "card" (the primary node) or "renderD". */
struct shim_entry shim_node_entry(bool is_primary);

/* -- shim_node.c: open files of the node -------------------------------------------------------------------------- */

struct shim_file {
    struct util_list link;
    dev_t dev; /* dev and ino name the open file, through all duplicates of its descriptor */
    ino_t ino;
    unsigned refs;            /* under the lock; the list has one */
    bool is_orphan;           /* opened by the parent of this process: the model behind it did not survive the fork */
    struct model_file *model; /* NULL for an orphan */
    bool is_primary;
    int event_fd; /* of a primary node's file: where its events are written. -1: none */
    /* Under shim_sync's lock: */
    struct shim_syncobj **syncobjs; /* handle h is syncobjs[h - 1]; NULL = free */
    uint32_t syncobj_capacity;
    /* Under shim_kms's lock: */
    bool was_master;
    bool sees_planes, is_atomic; /* client capabilities */
};

/* A new descriptor of a new open file, or a negative errno. `flags` as for open. */
int shim_node_open(bool is_primary, int flags);
/* Whether the descriptor is a node's; then, what it shows of itself. */
bool shim_fd_is_node(int fd, struct shim_entry *entry_out);
/* With a reference, or NULL when the descriptor is not the node's. */
struct shim_file *shim_file_get(int fd);
void shim_file_put(struct shim_file *file);
/* Tests find this with dlsym: model_set_bin_done_hook on the machine of this process. -ENODEV before it is there. */
int vc4_shim_set_bin_done_hook(void (*hook)(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots),
                               void *data);
/* A descriptor of the node has been closed: ends the open files that have none left. */
void shim_node_sweep(void);
/* mmap of the node. MAP_FAILED with errno set. */
void *shim_node_mmap(struct shim_file *file, void *addr, size_t size_B, int prot, int flags, uint64_t offset_B);

/* -- shim_calls.c: locks around fork ------------------------------------------------------------------------------ */

void shim_dirs_lock(void);
void shim_dirs_unlock(void);

/* -- shim_ioctl.c ------------------------------------------------------------------------------------------------- */

/* 0 or a negative errno. */
int shim_ioctl(struct shim_file *file, unsigned long request, void *arg);
/* Adds the ioctls counted so far to the file that VC4VK_SHIM_COUNT names. */
void shim_ioctl_dump_counts(void);
void shim_ioctl_forget_counts(void);

/* -- shim_sync.c: sync objects and sync files --------------------------------------------------------------------- */

void shim_sync_job_finished(uint64_t seqno, int status);
/* Waits for what the object holds, as SUBMIT_CL does with in_sync. 0, -EINVAL for a bad handle. */
int shim_sync_wait_in(struct shim_file *file, uint32_t handle);
bool shim_sync_is_handle(struct shim_file *file, uint32_t handle);
/* The object holds the fence of this job from now on. */
void shim_sync_attach(struct shim_file *file, uint32_t handle, uint64_t seqno);
int shim_sync_ioctl(struct shim_file *file, unsigned number, void *arg);
void shim_sync_close(struct shim_file *file);
void shim_sync_after_fork(void);
/* Locks around fork. */
void shim_sync_lock(void);
void shim_sync_unlock(void);

/* -- shim_fd.c: descriptors that stand for what a kernel would share ---------------------------------------------- */

#define SHIM_SYNC_FILE "vc4-sync-file"
#define SHIM_SYNCOBJ   "vc4-syncobj"

/* A memfd that `what` names in its name; -errno on failure. */
int shim_fd_create(const char *what, const void *content, size_t size_B);
bool shim_fd_is(int fd, const char *what);
/* ioctls on sync files and dma-bufs of ours: true when handled, `result_out` is 0 or a negative errno. */
bool shim_fd_ioctl(int fd, unsigned long request, void *arg, int *result_out);

/* -- shim_uevent.c: what the kernel says by itself ---------------------------------------------------------------- */

struct sockaddr_nl;

/* True when the socket is one for the kernel's uevents; then *result_out is 0 or a negative errno. */
bool shim_uevent_bind(int fd, const struct sockaddr_nl *address, int *result_out);
/* Whether such a socket is behind the descriptor. */
bool shim_uevent_is_listener(int fd);
/* Tells all of them that a display was plugged in or pulled out. */
void shim_uevent_send(void);
void shim_uevent_after_fork(void);

#endif
