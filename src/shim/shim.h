/* SPDX-License-Identifier: MIT
 *
 * libvc4_drm_shim.so presents the model to unmodified programs as the two nodes of a vc4 DRM driver: the render node,
 * and the primary node with a display (shim_kms.h).
 *
 * LD_PRELOAD puts it between a program and libc. It emulates the nodes with their entries in sysfs (shim_tree.c), open
 * files of the nodes (shim_node.c), ioctls on these files (shim_ioctl.c and the files it calls), mappings, and uevents
 * (shim_uevent.c). All other calls go to libc unchanged. The nodes behave like a kernel's, refusals included; only the
 * driver's description ("vc4 model shim") differs.
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

/* libc's function of this name, not the one that the shim exports. */
#define SHIM_REAL(name) ((__typeof__(&name))shim_real(#name))
void *shim_real(const char *name);

/* -- shim_tree.c: emulated paths ---------------------------------------------------------------------------------- */

enum shim_kind { SHIM_NONE, SHIM_DIR, SHIM_FILE, SHIM_LINK, SHIM_NODE };

struct shim_entry {
    enum shim_kind kind;
    char path[128];    /* canonical: contains no links */
    char content[256]; /* text of a file, target of a link */
    uint64_t inode;
    unsigned minor; /* of a node */
};

/* The emulated entry at `path`; SHIM_NONE when there is none. Follows links, but not one that is the last component. */
struct shim_entry shim_lookup(const char *path);
/* The same, but follows all links. */
struct shim_entry shim_lookup_follow(const char *path);
/* The name of the `index`-th entry of an emulated directory. False when there is none. */
bool shim_list(const char *dir_path, uint32_t index, char name_out[64], enum shim_kind *kind_out);
/* The entry of a node: "card" (primary) or "renderD". */
struct shim_entry shim_node_entry(bool is_primary);

/* -- shim_node.c: open files of the node -------------------------------------------------------------------------- */

struct shim_file {
    struct util_list link;
    dev_t dev; /* dev and ino identify the open file, whichever duplicate of its descriptor is used */
    ino_t ino;
    unsigned refs;            /* guarded by shim_node.c's lock; the list holds one */
    bool is_orphan;           /* opened by the parent of this process: the model behind it did not survive the fork */
    struct model_file *model; /* NULL for an orphan */
    bool is_primary;
    int event_fd; /* primary node: descriptor to which events are written. -1: none */
    /* Guarded by the lock of shim_sync.c: */
    struct shim_syncobj **syncobjs; /* handle h is syncobjs[h - 1]; NULL = free */
    uint32_t syncobj_capacity;
    /* Guarded by the lock of shim_kms.c: */
    bool was_master;
    bool sees_planes, is_atomic; /* client capabilities */
};

/* Opens a node. Returns a descriptor or a negative errno. `flags` as for open. */
int shim_node_open(bool is_primary, int flags);
/* Whether the descriptor is an open file of a node; stores the node's entry. */
bool shim_fd_is_node(int fd, struct shim_entry *entry_out);
/* A reference to the open file behind the descriptor, or NULL when it is not one of a node. */
struct shim_file *shim_file_get(int fd);
void shim_file_put(struct shim_file *file);
/* For tests, which find it with dlsym: calls model_set_bin_done_hook on this process's model. -ENODEV when no node has
 * been opened yet. */
int vc4_shim_set_bin_done_hook(void (*hook)(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots),
                               void *data);
/* Called after a descriptor of a node was closed: ends the open files without any descriptor left. */
void shim_node_sweep(void);
/* mmap on a node. On failure MAP_FAILED, with errno set. */
void *shim_node_mmap(struct shim_file *file, void *addr, size_t size_B, int prot, int flags, uint64_t offset_B);

/* -- shim_calls.c: lock of open directories, held around fork ----------------------------------------------------- */

void shim_dirs_lock(void);
void shim_dirs_unlock(void);

/* -- shim_ioctl.c ------------------------------------------------------------------------------------------------- */

/* Returns 0 or a negative errno. */
int shim_ioctl(struct shim_file *file, unsigned long request, void *arg);
/* Adds the ioctls counted so far to the file that VC4VK_SHIM_COUNT names. */
void shim_ioctl_dump_counts(void);
void shim_ioctl_reset_counts(void);

/* -- shim_sync.c: sync objects and sync files --------------------------------------------------------------------- */

void shim_sync_job_finished(uint64_t seqno, int status);
/* For model_job_hooks; `data` is a struct shim_file. */
int shim_sync_wait_in(void *data, uint32_t handle);
bool shim_sync_is_handle(void *data, uint32_t handle);
/* To be called for each job that was submitted. */
void shim_sync_job_submitted(uint64_t seqno);
/* Waits until all submitted jobs have finished. */
void shim_sync_wait_idle(void);
/* Puts the fence of this job into the object. */
void shim_sync_attach(struct shim_file *file, uint32_t handle, uint64_t seqno);
int shim_sync_ioctl(struct shim_file *file, unsigned number, void *arg);
void shim_sync_close(struct shim_file *file);
void shim_sync_after_fork(void);
/* Held around fork. */
void shim_sync_lock(void);
void shim_sync_unlock(void);

/* -- shim_fd.c: memfds that stand for objects shared by the kernel ------------------------------------------------ */

#define SHIM_SYNC_FILE "vc4-sync-file"
#define SHIM_SYNCOBJ   "vc4-syncobj"

/* Creates a memfd whose name is `what`, which tells shim_fd_is its kind. Returns the descriptor or a negative errno. */
int shim_fd_create(const char *what, const void *content, size_t size_B);
bool shim_fd_is(int fd, const char *what);
/* A sync file whose fence has signalled with this status: 1 or a negative errno. A descriptor or a negative errno. */
int shim_fd_create_sync_file(int32_t status);
/* Handles ioctls on the shim's sync files and dma-bufs. True when handled; `result_out` is then 0 or a negative
 * errno. */
bool shim_fd_ioctl(int fd, unsigned long request, void *arg, int *result_out);

/* -- shim_uevent.c: hotplug uevents ------------------------------------------------------------------------------- */

struct sockaddr_nl;

/* Handles a bind to the kernel's uevents. True when handled; `result_out` is then 0 or a negative errno. */
bool shim_uevent_bind(int fd, const struct sockaddr_nl *address, int *result_out);
/* Whether the descriptor is a socket that shim_uevent_bind has handled. */
bool shim_uevent_is_listener(int fd);
/* Sends a hotplug uevent to all listeners. */
void shim_uevent_send(void);
void shim_uevent_after_fork(void);

#endif
