/* SPDX-License-Identifier: MIT
 *
 * Open files of the nodes.
 *
 * Each open file is a FIFO of its own, opened for reading and writing. It becomes readable only when we write to it;
 * events of the primary node are delivered this way. Its inode identifies the open file through dup, dup2, fcntl and
 * descriptor passing, so none of these is intercepted. When a descriptor of a node is closed, /proc/self/fd tells
 * whether it was the last one.
 *
 * A process has one model device, created when a node is first opened. A forked child loses it, because its threads
 * stay in the parent: files opened by the parent return -ENODEV there. New files work, on a new model device.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "shim/shim.h"
#include "shim/shim_kms.h"
#include "util/log.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct util_list files = {&files, &files};
static _Atomic uint32_t file_count; /* read without the lock: while it is 0 there is nothing to do */
static struct model_device *device;

/* -- open files --------------------------------------------------------------------------------------------------- */

/* A pipe whose two ends are one descriptor: it never reports a hang-up and stays empty. */
static int fifo_create(int flags)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return -errno;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    int fd = SHIM_REAL(open64)(path, O_RDWR | (flags & (O_CLOEXEC | O_NONBLOCK)));
    int err = errno;
    SHIM_REAL(close)(ends[0]);
    SHIM_REAL(close)(ends[1]);
    return fd < 0 ? -err : fd;
}

static void file_destroy(struct shim_file *file)
{
    if (!file->is_orphan) {
        shim_kms_close(file);
        model_close(file->model);
        shim_sync_close(file);
    }
    if (file->event_fd >= 0)
        SHIM_REAL(close)(file->event_fd);
    free(file);
}

static void job_finished(void *data, uint64_t seqno, uint64_t time_ns, int status)
{
    shim_sync_job_finished(seqno, status);
}

static int open_model_locked(struct shim_file *file)
{
    int err = device ? 0 : model_create(&(struct model_options){.checks_addresses = true}, &device);
    if (!err)
        err = model_open(device, &file->model);
    if (err)
        return err;
    model_file_set_job_hooks(file->model, &(struct model_job_hooks){.data = file,
                                                                    .finished = job_finished,
                                                                    .wait_sync = shim_sync_wait_in,
                                                                    .has_sync = shim_sync_is_handle});
    return 0;
}

int shim_node_open(bool is_primary, int flags)
{
    struct shim_file *file = calloc(1, sizeof *file);
    if (!file)
        return -ENOMEM;
    struct stat64 st;
    int fd = fifo_create(flags);
    if (fd < 0 || SHIM_REAL(fstat64)(fd, &st)) {
        free(file);
        return fd < 0 ? fd : -EIO;
    }
    file->dev = st.st_dev;
    file->ino = st.st_ino;
    file->refs = 1;
    file->is_primary = is_primary;
    file->event_fd = is_primary ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    shim_node_sweep(); /* ends stale files: one of them may have had this inode number */
    pthread_mutex_lock(&lock);
    int err = open_model_locked(file);
    if (!err) {
        util_list_add_tail(&files, &file->link);
        file_count++;
    }
    pthread_mutex_unlock(&lock);
    if (!err) {
        shim_kms_open(file);
        return fd;
    }
    SHIM_REAL(close)(fd);
    if (file->event_fd >= 0)
        SHIM_REAL(close)(file->event_fd);
    free(file);
    return err;
}

static struct shim_file *find_locked(const struct stat64 *st)
{
    util_list_for_each(struct shim_file, file, &files, link)
        if (file->dev == st->st_dev && file->ino == st->st_ino)
            return file;
    return NULL;
}

struct shim_file *shim_file_get(int fd)
{
    struct stat64 st;
    int saved_errno = errno;
    if (!file_count || fd < 0 || SHIM_REAL(fstat64)(fd, &st) || !S_ISFIFO(st.st_mode)) {
        errno = saved_errno;
        return NULL;
    }
    pthread_mutex_lock(&lock);
    struct shim_file *file = find_locked(&st);
    if (file)
        file->refs++;
    pthread_mutex_unlock(&lock);
    return file;
}

void shim_file_put(struct shim_file *file)
{
    pthread_mutex_lock(&lock);
    bool is_last = --file->refs == 0;
    pthread_mutex_unlock(&lock);
    if (is_last)
        file_destroy(file);
}

bool shim_fd_is_node(int fd, struct shim_entry *entry_out)
{
    struct shim_file *file = shim_file_get(fd);
    if (!file)
        return false;
    *entry_out = shim_node_entry(file->is_primary);
    shim_file_put(file);
    return true;
}

/* Moves the files without any descriptor left to `ended`. */
static void collect_locked(struct util_list *ended)
{
    DIR *dir = SHIM_REAL(opendir)("/proc/self/fd");
    if (!dir)
        return;
    struct util_list open_files;
    util_list_init(&open_files);
    struct dirent64 *entry;
    while ((entry = SHIM_REAL(readdir64)(dir))) {
        struct stat64 st;
        if (entry->d_name[0] == '.' || SHIM_REAL(fstat64)(atoi(entry->d_name), &st) || !S_ISFIFO(st.st_mode))
            continue;
        struct shim_file *file = find_locked(&st);
        if (!file || atoi(entry->d_name) == file->event_fd)
            continue;
        util_list_del(&file->link);
        util_list_add_tail(&open_files, &file->link);
    }
    SHIM_REAL(closedir)(dir);
    util_list_for_each_safe(struct shim_file, file, &files, link) {
        util_list_del(&file->link);
        file_count--;
        util_list_add_tail(ended, &file->link);
    }
    util_list_splice_tail(&files, &open_files);
}

void shim_node_sweep(void)
{
    if (!file_count)
        return;
    int saved_errno = errno;
    struct util_list ended;
    util_list_init(&ended);
    pthread_mutex_lock(&lock);
    collect_locked(&ended);
    pthread_mutex_unlock(&lock);
    util_list_for_each_safe(struct shim_file, file, &ended, link) {
        util_list_del(&file->link);
        shim_file_put(file);
    }
    errno = saved_errno;
}

__attribute__((visibility("default"))) int
vc4_shim_set_bin_done_hook(void (*hook)(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots), void *data)
{
    pthread_mutex_lock(&lock);
    if (device)
        model_set_bin_done_hook(device, hook, data);
    pthread_mutex_unlock(&lock);
    return device ? 0 : -ENODEV;
}

/* -- mappings ----------------------------------------------------------------------------------------------------- */

void *shim_node_mmap(struct shim_file *file, void *addr, size_t size_B, int prot, int flags, uint64_t offset_B)
{
    int fd;
    uint64_t fd_offset_B;
    int err = file->model ? model_map_offset(file->model, offset_B, size_B, (prot & PROT_WRITE) != 0, &fd, &fd_offset_B)
                          : -ENODEV;
    if (err) {
        errno = -err;
        return MAP_FAILED;
    }
    return SHIM_REAL(mmap64)(addr, size_B, prot, flags, fd, (off64_t)fd_offset_B);
}

/* -- fork --------------------------------------------------------------------------------------------------------- */

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
    shim_sync_lock();
    shim_kms_lock();
    shim_dirs_lock();
}

static void after_fork_in_parent(void)
{
    shim_dirs_unlock();
    shim_kms_unlock();
    shim_sync_unlock();
    pthread_mutex_unlock(&lock);
}

/* The model's threads do not exist in the child and its locks may be held, so the model is never touched again. */
static void after_fork_in_child(void)
{
    util_list_for_each(struct shim_file, file, &files, link) {
        file->is_orphan = true;
        file->model = NULL;
    }
    device = NULL;
    shim_sync_after_fork();
    shim_kms_after_fork();
    shim_uevent_after_fork();
    shim_ioctl_reset_counts();
    shim_dirs_unlock();
    shim_kms_unlock();
    shim_sync_unlock();
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void init(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

__attribute__((destructor)) static void finish(void)
{
    shim_ioctl_dump_counts();
    shim_kms_finish();
}
