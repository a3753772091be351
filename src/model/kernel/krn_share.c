/* SPDX-License-Identifier: MIT
 *
 * Memory shared between files or processes (PRIME). On its first export a buffer moves into a memfd of its own, which
 * holds its contents and a trailer page that identifies the file. The memfd's size is sealed, and a file without the
 * seal is not imported, as its owner could shrink it while the model uses it.
 *
 * The move keeps the bus address and the process's existing mappings of the buffer, which are found in /proc/self/maps
 * and replaced in place. Writes during the move may be lost, so the buffer moves only once, after its jobs have
 * finished.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "model/kernel/krn_device.h"
#include "util/memfd.h"

/* -- mappings ----------------------------------------------------------------------------------------------------- */

static int map_over(void *at, size_t size_B, int prot, int fd, uint64_t offset_B)
{
    return mmap(at, size_B, prot, MAP_SHARED | MAP_FIXED, fd, (off_t)offset_B) == MAP_FAILED ? -errno : 0;
}

/* One line of /proc/self/maps. */
struct mapping {
    uintptr_t start, end;
    uint64_t offset_B;
    int prot;
};

static bool parse_mapping(const char *line, const struct stat *wanted, struct mapping *out)
{
    char perms[8];
    unsigned major, minor;
    unsigned long inode;
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s %" SCNx64 " %x:%x %lu", &out->start, &out->end, perms,
               &out->offset_B, &major, &minor, &inode) != 7)
        return false;
    out->prot = (perms[0] == 'r' ? PROT_READ : 0) | (perms[1] == 'w' ? PROT_WRITE : 0);
    return inode == wanted->st_ino && major == major(wanted->st_dev) && minor == minor(wanted->st_dev);
}

/* Maps the buffer's new memfd over all mappings that the process has made of it through the device's memfd. Private
 * device memory has no such mappings. */
static int move_user_mappings(const struct krn_bo *bo, int fd)
{
    const struct krn_memory *mem = &bo->dev->mem;
    struct stat own;
    char line[512];
    if (mem->fd < 0)
        return 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    int err = !maps || fstat(mem->fd, &own) ? -EIO : 0;
    uint64_t from_B = bo->addr, to_B = (uint64_t)bo->addr + bo->size_B;
    while (!err && fgets(line, sizeof line, maps)) {
        struct mapping m;
        if (!parse_mapping(line, &own, &m))
            continue;
        uint64_t m_end_B = m.offset_B + (m.end - m.start);
        bool is_machine = m.start >= (uintptr_t)mem->gpu.base && m.start < (uintptr_t)mem->gpu.base + mem->reserved_B;
        if (is_machine || m.offset_B >= to_B || m_end_B <= from_B)
            continue;
        uint64_t start_B = MAX2(m.offset_B, from_B), end_B = MIN2(m_end_B, to_B);
        err = map_over((void *)(m.start + (uintptr_t)(start_B - m.offset_B)), (size_t)(end_B - start_B), m.prot, fd,
                       start_B - from_B);
    }
    if (maps)
        fclose(maps);
    return err;
}

/* -- the file ----------------------------------------------------------------------------------------------------- */

/* On a page after the contents, which must be at the start of the file. It also has what a kernel would keep in the
 * buffer object, which lives as long as any descriptor of it: in the model, the last handle ends the object. Processes
 * that run another build read it, so change it only together with `magic`. */
struct trailer {
    char magic[16];
    uint64_t size_B; /* of the contents */
    uint64_t modifier;
    uint32_t madv;
};

static const struct trailer this_version = {.magic = "vc4 memory 2"};

static bool read_trailer(int fd, struct trailer *out)
{
    uint64_t file_B;
    if (!util_memfd_is_sealed(fd, &file_B) || file_B <= KRN_PAGE_B || file_B % KRN_PAGE_B)
        return false;
    const uint64_t size_B = file_B - KRN_PAGE_B;
    return pread(fd, out, sizeof *out, (off_t)size_B) == sizeof *out &&
           !memcmp(out->magic, this_version.magic, sizeof out->magic) && out->size_B == size_B;
}

bool model_is_shared_memory(int fd, uint64_t *size_out_B)
{
    struct trailer trailer;
    if (!read_trailer(fd, &trailer))
        return false;
    *size_out_B = trailer.size_B;
    return true;
}

bool model_may_map_shared(int fd, uint64_t offset_B, uint64_t size_B)
{
    struct trailer trailer;
    return read_trailer(fd, &trailer) && trailer.madv == VC4_MADV_WILLNEED && offset_B <= trailer.size_B &&
           size_B <= trailer.size_B - offset_B;
}

void krn_share_store_locked(const struct krn_bo *bo)
{
    struct trailer trailer;
    if (bo->shared_fd < 0 || !read_trailer(bo->shared_fd, &trailer))
        return;
    trailer.modifier = bo->modifier;
    trailer.madv = bo->madv;
    (void)!pwrite(bo->shared_fd, &trailer, sizeof trailer, (off_t)bo->size_B);
}

void krn_share_load_locked(struct krn_bo *bo)
{
    struct trailer trailer;
    if (bo->shared_fd < 0 || !read_trailer(bo->shared_fd, &trailer))
        return;
    bo->modifier = trailer.modifier;
    bo->madv = trailer.madv == VC4_MADV_DONTNEED ? VC4_MADV_DONTNEED : VC4_MADV_WILLNEED;
}

/* -- export ------------------------------------------------------------------------------------------------------- */

static int write_all(int fd, const void *from, size_t size_B, uint64_t at_B)
{
    for (size_t done = 0; done < size_B;) {
        ssize_t n = pwrite(fd, (const uint8_t *)from + done, size_B - done, (off_t)(at_B + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        done += (size_t)n;
    }
    return 0;
}

/* Closes the BO's file and maps its range of the device's memory again. */
static void end_share(struct krn_bo *bo)
{
    pthread_mutex_lock(&bo->dev->lock);
    util_list_del(&bo->shared_link);
    pthread_mutex_unlock(&bo->dev->lock);
    int err = krn_memory_unmap_file(&bo->dev->mem, bo->addr, bo->size_B);
    assert(!err);
    (void)err;
    close(bo->shared_fd);
}

void krn_share_add_locked(struct krn_bo *bo, int fd, bool is_read_only)
{
    bo->shared_fd = fd;
    bo->is_read_only = is_read_only;
    bo->end = end_share;
    util_list_add_tail(&bo->dev->shared, &bo->shared_link);
}

/* Opens a memfd again. */
static int reopen(int fd, int mode)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int opened = open(path, mode | O_CLOEXEC);
    return opened < 0 ? -errno : opened;
}

/* A descriptor for a caller. */
static int make_descriptor(int fd, bool is_read_only)
{
    if (is_read_only)
        return reopen(fd, O_RDONLY);
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return copy < 0 ? -errno : copy;
}

/* Makes the caller's descriptor first: if that fails, the buffer stays where it is and holds no descriptor. */
static int move_to_own_file_locked(struct krn_bo *bo, bool is_read_only, int *fd_out)
{
    struct trailer trailer = this_version;
    trailer.size_B = bo->size_B;
    trailer.modifier = bo->modifier;
    trailer.madv = bo->madv;
    int fd = util_memfd_create("vc4-shared-memory", (uint64_t)bo->size_B + KRN_PAGE_B);
    if (fd < 0)
        return fd;
    *fd_out = make_descriptor(fd, is_read_only);
    int err = *fd_out < 0 ? *fd_out : write_all(fd, krn_bo_ptr(bo), bo->size_B, 0);
    if (!err)
        err = write_all(fd, &trailer, sizeof trailer, bo->size_B);
    if (!err)
        err = move_user_mappings(bo, fd);
    if (!err)
        err = krn_memory_map_file(&bo->dev->mem, bo->addr, bo->size_B, fd, 0);
    if (err) {
        close(fd);
        if (*fd_out >= 0)
            close(*fd_out);
        return err;
    }
    krn_share_add_locked(bo, fd, is_read_only);
    return 0;
}

/* [kernel] The access mode is that of the first export. */
int model_bo_export(struct model_file *file, uint32_t handle, bool is_read_only, int *fd_out)
{
    struct krn_bo *bo = krn_handle_lookup(file, handle);
    if (!bo)
        return -ENOENT;
    struct model_device *dev = file->dev;
    int err = bo->kind == KRN_BO_USER ? 0 : -EINVAL;
    pthread_mutex_lock(&dev->lock);
    if (!err && (!krn_bo_is_kept_locked(bo) || bo->host || bo->is_sparse))
        err = -EINVAL;
    while (!err && bo->shared_fd < 0 && dev->finished_seqno < bo->last_seqno)
        pthread_cond_wait(&dev->finished, &dev->lock);
    if (!err && bo->shared_fd < 0) {
        err = move_to_own_file_locked(bo, is_read_only, fd_out);
    } else if (!err) {
        *fd_out = make_descriptor(bo->shared_fd, bo->is_read_only);
        err = MIN2(*fd_out, 0);
    }
    pthread_mutex_unlock(&dev->lock);
    krn_bo_unref(bo);
    return err;
}

/* -- import ------------------------------------------------------------------------------------------------------- */

struct krn_bo *krn_share_find(struct model_device *dev, const struct stat *wanted)
{
    struct krn_bo *found = NULL;
    pthread_mutex_lock(&dev->lock);
    util_list_for_each(struct krn_bo, bo, &dev->shared, shared_link) {
        struct stat st;
        if (fstat(bo->shared_fd, &st) || st.st_ino != wanted->st_ino || st.st_dev != wanted->st_dev)
            continue;
        unsigned refs = __atomic_load_n(&bo->refs, __ATOMIC_RELAXED);
        while (refs &&
               !__atomic_compare_exchange_n(&bo->refs, &refs, refs + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        }
        found = refs ? bo : NULL;
        break;
    }
    pthread_mutex_unlock(&dev->lock);
    return found;
}

static int create_shared(struct model_device *dev, int fd, uint32_t size_B, struct krn_bo **out)
{
    struct krn_bo *bo;
    const struct krn_place upper = {MODEL_PLACE_UPPER, 0}; /* see model_bo_create() */
    int err = krn_bo_create(dev, size_B, KRN_BO_USER, &upper, &bo);
    if (err == -ENOMEM)
        err = krn_bo_create(dev, size_B, KRN_BO_USER, KRN_ANYWHERE, &bo);
    if (err)
        return err;
    const bool is_read_only = (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY;
    int own_fd = is_read_only ? reopen(fd, O_RDWR) : make_descriptor(fd, false);
    err = own_fd < 0 ? own_fd : krn_memory_map_file(&dev->mem, bo->addr, bo->size_B, own_fd, 0);
    if (err) {
        if (own_fd >= 0)
            close(own_fd);
        krn_bo_unref(bo);
        return err;
    }
    pthread_mutex_lock(&dev->lock);
    krn_share_add_locked(bo, own_fd, is_read_only);
    krn_share_load_locked(bo);
    pthread_mutex_unlock(&dev->lock);
    *out = bo;
    return 0;
}

int model_bo_import(struct model_file *file, int fd, uint32_t *handle_out)
{
    struct stat st;
    uint64_t size_B;
    if (fcntl(fd, F_GETFD) < 0)
        return -EBADF;
    if (!model_is_shared_memory(fd, &size_B) || size_B > UINT32_MAX - KRN_PAGE_B || fstat(fd, &st))
        return -EINVAL;
    struct krn_bo *bo = krn_share_find(file->dev, &st);
    if (!bo) {
        int err = create_shared(file->dev, fd, (uint32_t)size_B, &bo);
        if (err)
            return err;
    }
    *handle_out = krn_handle_find(file, bo);
    if (*handle_out) {
        krn_bo_unref(bo);
        return 0;
    }
    return krn_handle_create(file, bo, handle_out);
}

/* -- mappings of the node ----------------------------------------------------------------------------------------- */

/* The buffer whose offset this is, with a reference, if it is the file's. */
static int find_offset(struct model_file *file, uint64_t offset_B, uint64_t size_B, struct krn_bo **out)
{
    struct model_device *dev = file->dev;
    int err = -EINVAL;
    *out = offset_B <= UINT32_MAX ? krn_handle_find_addr(file, (uint32_t)offset_B) : NULL;
    if (*out)
        return 0;
    pthread_mutex_lock(&dev->lock);
    util_list_for_each(struct krn_bo, bo, &dev->bos, link) {
        if (bo->addr == offset_B && size_B <= bo->size_B)
            err = -EACCES;
    }
    pthread_mutex_unlock(&dev->lock);
    return err;
}

int model_map_offset(struct model_file *file, uint64_t offset_B, uint64_t size_B, bool is_writable, int *fd_out,
                     uint64_t *fd_offset_B_out)
{
    struct krn_bo *bo;
    int err = find_offset(file, offset_B, size_B, &bo);
    if (err)
        return err;
    pthread_mutex_lock(&file->dev->lock);
    bool is_allowed =
        size_B <= bo->size_B && bo->madv == VC4_MADV_WILLNEED && !(is_writable && bo->kind == KRN_BO_SHADER);
    is_allowed = is_allowed && (bo->shared_fd >= 0 || file->dev->mem.fd >= 0);
    *fd_out = bo->shared_fd >= 0 ? bo->shared_fd : file->dev->mem.fd;
    *fd_offset_B_out = bo->shared_fd >= 0 ? 0 : bo->addr;
    pthread_mutex_unlock(&file->dev->lock);
    krn_bo_unref(bo);
    return is_allowed ? 0 : -EINVAL;
}
