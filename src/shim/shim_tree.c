/* SPDX-License-Identifier: MIT
 *
 * The made-up part of the file system: the node, and what sysfs tells of it: a platform device, as on a Raspberry Pi
 * ("soc:gpu", compatible with brcm,bcm2835-vc4). Names that sysfs has as links (/sys/dev/char/226:N, /sys/class/drm,
 * .../device) are rewritten to the device's own folder until none is left.
 */
#include <string.h>
#include <sys/stat.h>
#include "shim/shim.h"

#define DEVICE "/sys/devices/platform/soc/soc:gpu"

struct row {
    enum shim_kind kind;
    const char *path;    /* "@" stands for renderDN, "#" for 226:N */
    const char *content; /* likewise, and "$" for N */
};

static const struct row rows[] = {
    {SHIM_DIR, "/dev/dri", ""},
    {SHIM_NODE, "/dev/dri/@", ""},
    {SHIM_DIR, DEVICE, ""},
    {SHIM_FILE, DEVICE "/uevent",
     "DRIVER=vc4-drm\nOF_NAME=gpu\nOF_FULLNAME=/soc/gpu\nOF_COMPATIBLE_0=brcm,bcm2835-vc4\nOF_COMPATIBLE_N=1\n"
     "MODALIAS=of:NgpuT(null)Cbrcm,bcm2835-vc4\n"},
    {SHIM_LINK, DEVICE "/subsystem", "../../../../bus/platform"},
    {SHIM_LINK, DEVICE "/driver", "../../../../bus/platform/drivers/vc4-drm"},
    {SHIM_DIR, DEVICE "/drm", ""},
    {SHIM_DIR, DEVICE "/drm/@", ""},
    {SHIM_FILE, DEVICE "/drm/@/uevent", "MAJOR=226\nMINOR=$\nDEVNAME=dri/@\nDEVTYPE=drm_minor\n"},
    {SHIM_FILE, DEVICE "/drm/@/dev", "#\n"},
    {SHIM_LINK, DEVICE "/drm/@/device", "../../../soc:gpu"},
    {SHIM_LINK, DEVICE "/drm/@/subsystem", "../../../../../../class/drm"},
    {SHIM_DIR, "/sys/module/vc4", ""},
    {SHIM_LINK, "/sys/dev/char/#", "../../devices/platform/soc/soc:gpu/drm/@"},
    {SHIM_LINK, "/sys/class/drm/@", "../../devices/platform/soc/soc:gpu/drm/@"},
    {SHIM_LINK, "/dev/char/#", "../dri/@"},
};

/* What the links among the rows above lead to, inside our tree. */
static const struct {
    const char *from, *to;
} links[] = {
    {"/sys/dev/char/#", DEVICE "/drm/@"},
    {"/sys/class/drm/@", DEVICE "/drm/@"},
    {DEVICE "/drm/@/device", DEVICE},
    {"/dev/char/#", "/dev/dri/@"},
};

static unsigned node_minor = SHIM_FIRST_RENDER;

static void expand(char *out, size_t out_B, const char *text)
{
    size_t used = 0;
    for (; *text && used + 1 < out_B; text++) {
        int n;
        switch (*text) {
        case '@':
            n = snprintf(out + used, out_B - used, "renderD%u", node_minor);
            break;
        case '#':
            n = snprintf(out + used, out_B - used, "%u:%u", SHIM_DRM_MAJOR, node_minor);
            break;
        case '$':
            n = snprintf(out + used, out_B - used, "%u", node_minor);
            break;
        default:
            out[used] = *text;
            n = 1;
        }
        used = MIN2(used + (size_t)n, out_B - 1);
    }
    out[used] = '\0';
}

static void find_free_minor(void)
{
    int (*real_stat)(const char *, struct stat64 *) = SHIM_REAL(stat64);
    for (node_minor = SHIM_FIRST_RENDER; node_minor < SHIM_LAST_RENDER; node_minor++) {
        char path[64];
        struct stat64 st;
        expand(path, sizeof path, "/dev/dri/@");
        bool is_taken = real_stat && !real_stat(path, &st);
        expand(path, sizeof path, "/sys/dev/char/#");
        is_taken |= real_stat && !real_stat(path, &st);
        if (!is_taken)
            break;
    }
}

unsigned shim_node_minor(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_free_minor);
    return node_minor;
}

/* Drops double and trailing slashes. False when it is too long to be ours, or relative. */
static bool tidy(char *out, size_t out_B, const char *path)
{
    size_t n = 0;
    if (!path || path[0] != '/')
        return false;
    for (; *path; path++) {
        if (*path == '/' && path[1] == '/')
            continue;
        if (n + 1 >= out_B)
            return false;
        out[n++] = *path;
    }
    while (n > 1 && out[n - 1] == '/')
        n--;
    out[n] = '\0';
    return true;
}

/* Replaces a leading link by what it leads to; `and_last`: also when the link is the whole path. */
static bool follow_one(char *path, size_t path_B, bool and_last)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(links); i++) {
        char from[128], to[128], rest[128];
        expand(from, sizeof from, links[i].from);
        size_t n = strlen(from);
        if (strncmp(path, from, n) || (path[n] != '/' && !(path[n] == '\0' && and_last)))
            continue;
        expand(to, sizeof to, links[i].to);
        snprintf(rest, sizeof rest, "%s", path + n);
        return snprintf(path, path_B, "%s%s", to, rest) < (int)path_B;
    }
    return false;
}

static struct shim_entry lookup(const char *path, bool follow_last)
{
    struct shim_entry entry = {.kind = SHIM_NONE};
    if (!path || (strncmp(path, "/dev/", 5) && strncmp(path, "/sys/", 5)) || !tidy(entry.path, sizeof entry.path, path))
        return entry;
    shim_node_minor();
    while (follow_one(entry.path, sizeof entry.path, follow_last)) {
    }
    for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char name[128];
        expand(name, sizeof name, rows[i].path);
        if (strcmp(name, entry.path))
            continue;
        entry.kind = rows[i].kind;
        entry.inode = 0x76633400 + i;
        expand(entry.content, sizeof entry.content, rows[i].content);
        break;
    }
    return entry;
}

struct shim_entry shim_lookup(const char *path)
{
    return lookup(path, false);
}

struct shim_entry shim_lookup_follow(const char *path)
{
    return lookup(path, true);
}

bool shim_list(const char *dir_path, uint32_t index, char name_out[64], enum shim_kind *kind_out)
{
    size_t n = strlen(dir_path);
    for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char name[128];
        expand(name, sizeof name, rows[i].path);
        if (strncmp(name, dir_path, n) || name[n] != '/' || strchr(name + n + 1, '/') || index--)
            continue;
        snprintf(name_out, 64, "%s", name + n + 1);
        *kind_out = rows[i].kind;
        return true;
    }
    return false;
}
