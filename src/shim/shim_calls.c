/* SPDX-License-Identifier: MIT
 *
 * The libc functions that the shim replaces. Each handles calls that concern an emulated path or descriptor and
 * forwards all others to libc. Both the plain and the 64-bit names are here, and the names that headers of older glibc
 * versions or _FORTIFY_SOURCE use.
 *
 * Only absolute paths are recognised. System calls that bypass libc are not seen.
 */
#undef _FILE_OFFSET_BITS /* keeps the header from redirecting the plain names */
#undef _FORTIFY_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/netlink.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <drm.h>
#include "shim/shim.h"
#include "shim/shim_stat.h"

#define EXPORT __attribute__((visibility("default")))

/* libc's function, looked up once. */
#define REAL(name)                                                                                                     \
    ({                                                                                                                 \
        static __typeof__(&name) real_##name;                                                                          \
        if (!__atomic_load_n(&real_##name, __ATOMIC_RELAXED))                                                          \
            __atomic_store_n(&real_##name, (__typeof__(&name))shim_real(#name), __ATOMIC_RELAXED);                     \
        real_##name;                                                                                                   \
    })

static int fail(int err)
{
    errno = err;
    return -1;
}

/* -- open and close ----------------------------------------------------------------------------------------------- */

/* True when the path is an emulated node or file; *fd_out is then the result of open. */
static bool try_open(const char *path, int flags, int *fd_out)
{
    struct shim_entry entry = shim_lookup_follow(path);
    int fd;
    switch (entry.kind) {
    case SHIM_NODE:
        fd = shim_node_open(entry.minor < SHIM_FIRST_RENDER, flags);
        break;
    case SHIM_FILE:
        fd = shim_fd_create("vc4-sysfs", entry.content, strlen(entry.content));
        break;
    default: /* opendir handles directories; libc opens a real one of this name */
        return false;
    }
    *fd_out = fd < 0 ? fail(-fd) : fd;
    return true;
}

#define NEEDS_MODE(flags) (((flags)&O_CREAT) || ((flags)&O_TMPFILE) == O_TMPFILE)

#define DEFINE_OPEN(name)                                                                                              \
    EXPORT int name(const char *path, int flags, ...)                                                                  \
    {                                                                                                                  \
        mode_t mode = 0;                                                                                               \
        int fd;                                                                                                        \
        if (NEEDS_MODE(flags)) {                                                                                       \
            va_list va;                                                                                                \
            va_start(va, flags);                                                                                       \
            mode = va_arg(va, mode_t);                                                                                 \
            va_end(va);                                                                                                \
        }                                                                                                              \
        return try_open(path, flags, &fd) ? fd : REAL(name)(path, flags, mode);                                        \
    }

#define DEFINE_OPENAT(name)                                                                                            \
    EXPORT int name(int dir, const char *path, int flags, ...)                                                         \
    {                                                                                                                  \
        mode_t mode = 0;                                                                                               \
        int fd;                                                                                                        \
        if (NEEDS_MODE(flags)) {                                                                                       \
            va_list va;                                                                                                \
            va_start(va, flags);                                                                                       \
            mode = va_arg(va, mode_t);                                                                                 \
            va_end(va);                                                                                                \
        }                                                                                                              \
        return try_open(path, flags, &fd) ? fd : REAL(name)(dir, path, flags, mode);                                   \
    }

DEFINE_OPEN(open)
DEFINE_OPEN(open64)
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

/* The names under _FORTIFY_SOURCE for calls without a mode. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);

EXPORT int __open_2(const char *path, int flags)
{
    int fd;
    return try_open(path, flags, &fd) ? fd : REAL(__open_2)(path, flags);
}

EXPORT int __open64_2(const char *path, int flags)
{
    int fd;
    return try_open(path, flags, &fd) ? fd : REAL(__open64_2)(path, flags);
}

EXPORT int __openat_2(int dir, const char *path, int flags)
{
    int fd;
    return try_open(path, flags, &fd) ? fd : REAL(__openat_2)(dir, path, flags);
}

EXPORT int __openat64_2(int dir, const char *path, int flags)
{
    int fd;
    return try_open(path, flags, &fd) ? fd : REAL(__openat64_2)(dir, path, flags);
}

static bool try_fopen(const char *path, const char *mode, FILE **out)
{
    int fd;
    if (!try_open(path, strchr(mode, 'e') ? O_CLOEXEC : 0, &fd))
        return false;
    *out = fd < 0 ? NULL : fdopen(fd, mode);
    return true;
}

EXPORT FILE *fopen(const char *path, const char *mode)
{
    FILE *file;
    return try_fopen(path, mode, &file) ? file : REAL(fopen)(path, mode);
}

EXPORT FILE *fopen64(const char *path, const char *mode)
{
    FILE *file;
    return try_fopen(path, mode, &file) ? file : REAL(fopen64)(path, mode);
}

EXPORT int close(int fd)
{
    struct shim_entry entry;
    bool is_node = shim_fd_is_node(fd, &entry);
    int result = REAL(close)(fd);
    if (is_node)
        shim_node_sweep();
    return result;
}

/* -- ioctl and mmap ----------------------------------------------------------------------------------------------- */

/* True when the descriptor is the shim's; *result_out is then the result of ioctl. */
static bool try_ioctl(int fd, unsigned long request, void *arg, int *result_out)
{
    int result;
    if (_IOC_TYPE(request) == DRM_IOCTL_BASE) {
        struct shim_file *file = shim_file_get(fd);
        if (!file)
            return false;
        result = shim_ioctl(file, request, arg);
        shim_file_put(file);
    } else if (!shim_fd_ioctl(fd, request, arg, &result)) {
        return false;
    }
    *result_out = result < 0 ? fail(-result) : result;
    return true;
}

#define DEFINE_IOCTL(name)                                                                                             \
    EXPORT int name(int fd, unsigned long request, ...)                                                                \
    {                                                                                                                  \
        va_list va;                                                                                                    \
        va_start(va, request);                                                                                         \
        void *arg = va_arg(va, void *);                                                                                \
        va_end(va);                                                                                                    \
        request &= 0xffffffff; /* a request in a signed variable is sign-extended */                                   \
        int result;                                                                                                    \
        return try_ioctl(fd, request, arg, &result) ? result : REAL(name)(fd, request, arg);                           \
    }

DEFINE_IOCTL(ioctl)
#if __TIMESIZE == 32
int __ioctl_time64(int fd, unsigned long request, ...); /* the other such names are in shim_time64.c */
DEFINE_IOCTL(__ioctl_time64)
#endif

static bool try_mmap(void *addr, size_t size_B, int prot, int flags, int fd, uint64_t offset_B, void **out)
{
    uint64_t shared_B;
    struct shim_file *file = flags & MAP_ANONYMOUS ? NULL : shim_file_get(fd);
    if (!file) {
        /* The file that stands for a dma-buf is longer. The model's own mappings have fixed addresses. */
        if (flags & (MAP_ANONYMOUS | MAP_FIXED) || !model_is_shared_memory(fd, &shared_B) ||
            model_may_map_shared(fd, offset_B, size_B))
            return false;
        if ((prot & PROT_WRITE) && (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY)
            return false; /* EACCES */
        *out = MAP_FAILED;
        errno = EINVAL;
        return true;
    }
    *out = shim_node_mmap(file, addr, size_B, prot, flags, offset_B);
    shim_file_put(file);
    return true;
}

EXPORT void *mmap(void *addr, size_t size_B, int prot, int flags, int fd, off_t offset_B)
{
    void *map;
    return try_mmap(addr, size_B, prot, flags, fd, (uint64_t)offset_B, &map)
               ? map
               : REAL(mmap)(addr, size_B, prot, flags, fd, offset_B);
}

EXPORT void *mmap64(void *addr, size_t size_B, int prot, int flags, int fd, off64_t offset_B)
{
    void *map;
    return try_mmap(addr, size_B, prot, flags, fd, (uint64_t)offset_B, &map)
               ? map
               : REAL(mmap64)(addr, size_B, prot, flags, fd, offset_B);
}

/* Programs ask for a dma-buf's size by seeking to its end; the file that stands for the dma-buf is longer. Only its
 * start and its end can be reached [kernel dma-buf.c]. */
static bool seek_dma_buf(int fd, int64_t offset_B, int whence, off64_t *at_out)
{
    uint64_t size_B;
    if (!model_is_shared_memory(fd, &size_B))
        return false;
    if ((whence != SEEK_SET && whence != SEEK_END) || offset_B)
        *at_out = fail(EINVAL);
    else
        *at_out = whence == SEEK_END ? (off64_t)size_B : 0;
    return true;
}

EXPORT off_t lseek(int fd, off_t offset_B, int whence)
{
    off64_t at;
    return seek_dma_buf(fd, offset_B, whence, &at) ? (off_t)at : REAL(lseek)(fd, offset_B, whence);
}

EXPORT off64_t lseek64(int fd, off64_t offset_B, int whence)
{
    off64_t at;
    return seek_dma_buf(fd, offset_B, whence, &at) ? at : REAL(lseek64)(fd, offset_B, whence);
}

/* -- stat --------------------------------------------------------------------------------------------------------- */

mode_t shim_mode_of(enum shim_kind kind)
{
    static const mode_t modes[] = {
        [SHIM_DIR] = S_IFDIR | 0755,
        [SHIM_FILE] = S_IFREG | 0444,
        [SHIM_LINK] = S_IFLNK | 0777,
        [SHIM_NODE] = S_IFCHR | 0666,
    };
    return modes[kind];
}

bool shim_is_emulated(const struct shim_entry *entry)
{
    return entry->kind != SHIM_NONE && (entry->kind != SHIM_DIR || REAL(access)(entry->path, F_OK));
}

bool shim_is_itself(const char *path, int flags)
{
    return (flags & AT_EMPTY_PATH) && !*path;
}

struct shim_entry shim_lookup_at(int dir, const char *path, int flags)
{
    struct shim_entry entry = {.kind = SHIM_NONE};
    if (shim_is_itself(path, flags)) {
        (void)shim_fd_is_node(dir, &entry);
        return entry;
    }
    return flags & AT_SYMLINK_NOFOLLOW ? shim_lookup(path) : shim_lookup_follow(path);
}

#define DEFINE_STAT(name, lookup, type)                                                                                \
    EXPORT int name(const char *path, struct type *st)                                                                 \
    {                                                                                                                  \
        struct shim_entry entry = lookup(path);                                                                        \
        if (!shim_is_emulated(&entry))                                                                                 \
            return REAL(name)(path, st);                                                                               \
        SHIM_FILL_STAT(st, &entry);                                                                                    \
        return 0;                                                                                                      \
    }

DEFINE_STAT(stat, shim_lookup_follow, stat)
DEFINE_STAT(stat64, shim_lookup_follow, stat64)
DEFINE_STAT(lstat, shim_lookup, stat)
DEFINE_STAT(lstat64, shim_lookup, stat64)

uint64_t shim_told_size_B(int fd, uint64_t file_B)
{
    uint64_t size_B;
    const int saved_errno = errno;
    const bool is_dma_buf = file_B && model_is_shared_memory(fd, &size_B);
    errno = saved_errno;
    return is_dma_buf ? size_B : file_B;
}

#define DEFINE_FSTAT(name, type)                                                                                       \
    EXPORT int name(int fd, struct type *st)                                                                           \
    {                                                                                                                  \
        struct shim_entry entry;                                                                                       \
        if (!shim_fd_is_node(fd, &entry)) {                                                                            \
            int err = REAL(name)(fd, st);                                                                              \
            if (!err)                                                                                                  \
                SHIM_TELL_SIZE(st, fd);                                                                                \
            return err;                                                                                                \
        }                                                                                                              \
        SHIM_FILL_STAT(st, &entry);                                                                                    \
        return 0;                                                                                                      \
    }

DEFINE_FSTAT(fstat, stat)
DEFINE_FSTAT(fstat64, stat64)

/* The linker gives the model these functions in place of the two above, since it has to know the file's own size. */
#define DEFINE_OWN_FSTAT(name, type)                                                                                   \
    int __wrap_##name(int fd, struct type *st);                                                                        \
    int __wrap_##name(int fd, struct type *st)                                                                         \
    {                                                                                                                  \
        return REAL(name)(fd, st);                                                                                     \
    }

DEFINE_OWN_FSTAT(fstat, stat)
DEFINE_OWN_FSTAT(fstat64, stat64)

#define DEFINE_FSTATAT(name, type)                                                                                     \
    EXPORT int name(int dir, const char *path, struct type *st, int flags)                                             \
    {                                                                                                                  \
        struct shim_entry entry = shim_lookup_at(dir, path, flags);                                                    \
        if (!shim_is_emulated(&entry)) {                                                                               \
            int err = REAL(name)(dir, path, st, flags);                                                                \
            if (!err && shim_is_itself(path, flags))                                                                   \
                SHIM_TELL_SIZE(st, dir);                                                                               \
            return err;                                                                                                \
        }                                                                                                              \
        SHIM_FILL_STAT(st, &entry);                                                                                    \
        return 0;                                                                                                      \
    }

DEFINE_FSTATAT(fstatat, stat)
DEFINE_FSTATAT(fstatat64, stat64)

/* The names that programs built for a glibc before 2.33 call. */
#define DEFINE_XSTAT(name, lookup, type)                                                                               \
    int name(int version, const char *path, struct type *st);                                                          \
    EXPORT int name(int version, const char *path, struct type *st)                                                    \
    {                                                                                                                  \
        struct shim_entry entry = lookup(path);                                                                        \
        if (!shim_is_emulated(&entry))                                                                                 \
            return REAL(name)(version, path, st);                                                                      \
        SHIM_FILL_STAT(st, &entry);                                                                                    \
        return 0;                                                                                                      \
    }

#define DEFINE_FXSTAT(name, type)                                                                                      \
    int name(int version, int fd, struct type *st);                                                                    \
    EXPORT int name(int version, int fd, struct type *st)                                                              \
    {                                                                                                                  \
        struct shim_entry entry;                                                                                       \
        if (!shim_fd_is_node(fd, &entry)) {                                                                            \
            int err = REAL(name)(version, fd, st);                                                                     \
            if (!err)                                                                                                  \
                SHIM_TELL_SIZE(st, fd);                                                                                \
            return err;                                                                                                \
        }                                                                                                              \
        SHIM_FILL_STAT(st, &entry);                                                                                    \
        return 0;                                                                                                      \
    }

DEFINE_XSTAT(__xstat, shim_lookup_follow, stat)
DEFINE_XSTAT(__xstat64, shim_lookup_follow, stat64)
DEFINE_XSTAT(__lxstat, shim_lookup, stat)
DEFINE_XSTAT(__lxstat64, shim_lookup, stat64)
DEFINE_FXSTAT(__fxstat, stat)
DEFINE_FXSTAT(__fxstat64, stat64)

EXPORT int statx(int dir, const char *restrict path, int flags, unsigned mask, struct statx *restrict st)
{
    struct shim_entry entry = shim_lookup_at(dir, path, flags);
    if (!shim_is_emulated(&entry)) {
        int err = REAL(statx)(dir, path, flags, mask, st);
        if (!err && shim_is_itself(path, flags))
            st->stx_size = shim_told_size_B(dir, st->stx_size);
        return err;
    }
    memset(st, 0, sizeof *st);
    st->stx_mask = STATX_BASIC_STATS;
    st->stx_mode = (uint16_t)shim_mode_of(entry.kind);
    st->stx_nlink = 1;
    st->stx_ino = entry.inode;
    st->stx_size = entry.kind == SHIM_FILE || entry.kind == SHIM_LINK ? strlen(entry.content) : 0;
    st->stx_rdev_major = entry.kind == SHIM_NODE ? SHIM_DRM_MAJOR : 0;
    st->stx_rdev_minor = entry.minor;
    return 0;
}

/* -- access and links --------------------------------------------------------------------------------------------- */

EXPORT int access(const char *path, int mode)
{
    struct shim_entry entry = shim_lookup_follow(path);
    return entry.kind == SHIM_NONE ? REAL(access)(path, mode) : 0;
}

EXPORT int faccessat(int dir, const char *path, int mode, int flags)
{
    struct shim_entry entry = shim_lookup_follow(path);
    return entry.kind == SHIM_NONE ? REAL(faccessat)(dir, path, mode, flags) : 0;
}

static ssize_t copy_link_target(const struct shim_entry *entry, char *out, size_t out_B)
{
    if (entry->kind != SHIM_LINK)
        return fail(EINVAL);
    size_t n = MIN2(strlen(entry->content), out_B);
    memcpy(out, entry->content, n);
    return (ssize_t)n;
}

EXPORT ssize_t readlink(const char *restrict path, char *restrict out, size_t out_B)
{
    struct shim_entry entry = shim_lookup(path);
    return shim_is_emulated(&entry) ? copy_link_target(&entry, out, out_B) : REAL(readlink)(path, out, out_B);
}

EXPORT ssize_t readlinkat(int dir, const char *restrict path, char *restrict out, size_t out_B)
{
    struct shim_entry entry = shim_lookup(path);
    return shim_is_emulated(&entry) ? copy_link_target(&entry, out, out_B) : REAL(readlinkat)(dir, path, out, out_B);
}

ssize_t __readlink_chk(const char *path, char *out, size_t out_B, size_t room_B);
EXPORT ssize_t __readlink_chk(const char *path, char *out, size_t out_B, size_t room_B)
{
    struct shim_entry entry = shim_lookup(path);
    return shim_is_emulated(&entry) ? copy_link_target(&entry, out, MIN2(out_B, room_B))
                                    : REAL(__readlink_chk)(path, out, out_B, room_B);
}

/* Links that leave the emulated tree (subsystem, driver) are relative to /sys after their "../": /sys/bus/platform. */
static bool try_realpath(const char *path, char *out, char **result_out)
{
    struct shim_entry entry = shim_lookup_follow(path);
    if (!shim_is_emulated(&entry))
        return false;
    const char *text = entry.path;
    char target[PATH_MAX];
    if (entry.kind == SHIM_LINK) {
        const char *rest = entry.content;
        while (!strncmp(rest, "../", 3))
            rest += 3;
        snprintf(target, sizeof target, "/sys/%s", rest);
        text = target;
    }
    *result_out = out ? strcpy(out, text) : strdup(text);
    return true;
}

EXPORT char *realpath(const char *restrict path, char *restrict out)
{
    char *result;
    return try_realpath(path, out, &result) ? result : REAL(realpath)(path, out);
}

char *__realpath_chk(const char *path, char *out, size_t room_B);
EXPORT char *__realpath_chk(const char *path, char *out, size_t room_B)
{
    char *result;
    return try_realpath(path, out, &result) ? result : REAL(__realpath_chk)(path, out, room_B);
}

EXPORT char *canonicalize_file_name(const char *path)
{
    char *result;
    return try_realpath(path, NULL, &result) ? result : REAL(canonicalize_file_name)(path);
}

/* -- directories -------------------------------------------------------------------------------------------------- */

/* An open emulated directory. Entries of a real directory of the same name are listed first. */
struct shim_dir {
    struct util_list link;
    DIR *real; /* NULL: no real directory of this name */
    char path[128];
    uint32_t next;
    struct dirent entry;
    struct dirent64 entry64;
};

static pthread_mutex_t dirs_lock = PTHREAD_MUTEX_INITIALIZER;
static struct util_list dirs = {&dirs, &dirs};
static _Atomic uint32_t dir_count;

void shim_dirs_lock(void)
{
    pthread_mutex_lock(&dirs_lock);
}

void shim_dirs_unlock(void)
{
    pthread_mutex_unlock(&dirs_lock);
}

static struct shim_dir *dir_of(DIR *given)
{
    struct shim_dir *found = NULL;
    if (!dir_count)
        return NULL;
    pthread_mutex_lock(&dirs_lock);
    util_list_for_each(struct shim_dir, dir, &dirs, link)
        if ((void *)dir == (void *)given)
            found = dir;
    pthread_mutex_unlock(&dirs_lock);
    return found;
}

EXPORT DIR *opendir(const char *path)
{
    struct shim_entry entry = shim_lookup_follow(path);
    if (entry.kind != SHIM_DIR)
        return REAL(opendir)(path);
    struct shim_dir *dir = calloc(1, sizeof *dir);
    if (!dir)
        return NULL;
    dir->real = REAL(opendir)(entry.path);
    memcpy(dir->path, entry.path, sizeof dir->path);
    pthread_mutex_lock(&dirs_lock);
    util_list_add_tail(&dirs, &dir->link);
    dir_count++;
    pthread_mutex_unlock(&dirs_lock);
    return (DIR *)dir;
}

EXPORT int closedir(DIR *given)
{
    struct shim_dir *dir = dir_of(given);
    if (!dir)
        return REAL(closedir)(given);
    pthread_mutex_lock(&dirs_lock);
    util_list_del(&dir->link);
    dir_count--;
    pthread_mutex_unlock(&dirs_lock);
    int result = dir->real ? REAL(closedir)(dir->real) : 0;
    free(dir);
    return result;
}

EXPORT void rewinddir(DIR *given)
{
    struct shim_dir *dir = dir_of(given);
    if (!dir) {
        REAL(rewinddir)(given);
        return;
    }
    dir->next = 0;
    if (dir->real)
        REAL(rewinddir)(dir->real);
}

EXPORT int dirfd(DIR *given)
{
    struct shim_dir *dir = dir_of(given);
    if (!dir)
        return REAL(dirfd)(given);
    return dir->real ? REAL(dirfd)(dir->real) : fail(ENOTSUP);
}

static unsigned char dirent_type(enum shim_kind kind)
{
    return kind == SHIM_DIR ? DT_DIR : kind == SHIM_LINK ? DT_LNK : kind == SHIM_NODE ? DT_CHR : DT_REG;
}

/* The next emulated entry. Without a real directory, "." and ".." come first. */
static bool next_name(struct shim_dir *dir, char name_out[64], enum shim_kind *kind_out)
{
    uint32_t dots = dir->real ? 0 : 2;
    uint32_t index = dir->next++;
    if (index < dots) {
        strcpy(name_out, index ? ".." : ".");
        *kind_out = SHIM_DIR;
        return true;
    }
    return shim_list(dir->path, index - dots, name_out, kind_out);
}

#define DEFINE_READDIR(name, type, member)                                                                             \
    EXPORT struct type *name(DIR *given)                                                                               \
    {                                                                                                                  \
        struct shim_dir *dir = dir_of(given);                                                                          \
        if (!dir)                                                                                                      \
            return REAL(name)(given);                                                                                  \
        struct type *entry = dir->real ? REAL(name)(dir->real) : NULL;                                                 \
        if (entry)                                                                                                     \
            return entry;                                                                                              \
        enum shim_kind kind;                                                                                           \
        char text[64];                                                                                                 \
        if (!next_name(dir, text, &kind))                                                                              \
            return NULL;                                                                                               \
        memset(&dir->member, 0, sizeof dir->member);                                                                   \
        strcpy(dir->member.d_name, text);                                                                              \
        dir->member.d_ino = 1;                                                                                         \
        dir->member.d_type = dirent_type(kind);                                                                        \
        dir->member.d_reclen = sizeof dir->member;                                                                     \
        return &dir->member;                                                                                           \
    }

DEFINE_READDIR(readdir, dirent, entry)
DEFINE_READDIR(readdir64, dirent64, entry64)

#define DEFINE_SCANDIR(name, type, read)                                                                               \
    EXPORT int name(const char *restrict path, struct type ***restrict list_out, int (*filter)(const struct type *),   \
                    int (*compare)(const struct type **, const struct type **))                                        \
    {                                                                                                                  \
        struct shim_entry entry = shim_lookup_follow(path);                                                            \
        if (entry.kind != SHIM_DIR)                                                                                    \
            return REAL(name)(path, list_out, filter, compare);                                                        \
        DIR *dir = opendir(path);                                                                                      \
        struct type **list = NULL, *item;                                                                              \
        size_t count = 0;                                                                                              \
        bool has_failed = !dir;                                                                                        \
        while (!has_failed && (item = read(dir))) {                                                                    \
            if (filter && !filter(item))                                                                               \
                continue;                                                                                              \
            struct type **grown = realloc(list, (count + 1) * sizeof *list);                                           \
            struct type *copy = malloc(sizeof *copy);                                                                  \
            list = grown ? grown : list;                                                                               \
            has_failed = !grown || !copy;                                                                              \
            if (has_failed)                                                                                            \
                free(copy);                                                                                            \
            else                                                                                                       \
                memcpy(list[count++] = copy, item, MIN2(sizeof *copy, item->d_reclen));                                \
        }                                                                                                              \
        if (dir)                                                                                                       \
            closedir(dir);                                                                                             \
        if (has_failed) {                                                                                              \
            while (count)                                                                                              \
                free(list[--count]);                                                                                   \
            free(list);                                                                                                \
            return fail(ENOMEM);                                                                                       \
        }                                                                                                              \
        if (compare && count)                                                                                          \
            qsort(list, count, sizeof *list, (int (*)(const void *, const void *))compare);                            \
        *list_out = list;                                                                                              \
        return (int)count;                                                                                             \
    }

DEFINE_SCANDIR(scandir, dirent, readdir)
DEFINE_SCANDIR(scandir64, dirent64, readdir64)

/* -- uevents ------------------------------------------------------------------------------------------------------ */

EXPORT int bind(int fd, __CONST_SOCKADDR_ARG address, socklen_t address_B)
{
    const struct sockaddr_nl *netlink = (const struct sockaddr_nl *)address.__sockaddr__;
    int result;
    if (netlink && address_B == sizeof *netlink && shim_uevent_bind(fd, netlink, &result))
        return result ? fail(-result) : 0;
    return REAL(bind)(fd, address, address_B);
}

/* Fills in the kernel's address as sender, which a message from a socketpair lacks. */
EXPORT ssize_t recvfrom(int fd, void *restrict out, size_t out_B, int flags, __SOCKADDR_ARG sender,
                        socklen_t *restrict sender_B)
{
    const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK, .nl_groups = 1};
    const socklen_t room_B = sender_B ? *sender_B : 0;
    ssize_t got_B = REAL(recvfrom)(fd, out, out_B, flags, sender, sender_B);
    if (got_B >= 0 && sender.__sockaddr__ && shim_uevent_is_listener(fd)) {
        memcpy(sender.__sockaddr__, &kernel, MIN2(room_B, sizeof kernel));
        *sender_B = sizeof kernel;
    }
    return got_B;
}
