/* SPDX-License-Identifier: MIT
 *
 * The emulated part of the file system: the nodes and their sysfs entries, which describe a platform device as on a
 * Raspberry Pi ("soc:gpu", compatible with brcm,bcm2835-vc4). Links of sysfs (/sys/dev/char/226:N, /sys/class/drm,
 * .../device) are replaced by the device's own directory until the path contains none.
 *
 * Both nodes share the rows: "@" stands for the node's name, "#" for 226:N and "$" for N.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "shim/shim.h"
#include "util/environment.h"

#define DEVICE "/sys/devices/platform/soc/soc:gpu"

struct row {
    enum shim_kind kind;
    const char *path;
    const char *content;
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

/* Targets of those links above that stay within the emulated tree. */
static const struct {
    const char *from, *to;
} links[] = {
    {"/sys/dev/char/#", DEVICE "/drm/@"},
    {"/sys/class/drm/@", DEVICE "/drm/@"},
    {DEVICE "/drm/@/device", DEVICE},
    {"/dev/char/#", "/dev/dri/@"},
};

/* `minor` is the first number from `first` on that no real node has. */
struct node {
    const char *prefix;
    unsigned minor, first, last;
};

/* 0: render, 1: primary. */
static struct node nodes[] = {{"renderD", SHIM_FIRST_RENDER, SHIM_FIRST_RENDER, SHIM_LAST_RENDER},
                              {"card", 0, 0, SHIM_LAST_CARD}};
static uint32_t node_count = ARRAY_SIZE(nodes);

static void expand(char *out, size_t out_B, const char *text, const struct node *node)
{
    size_t used = 0;
    for (; *text && used + 1 < out_B; text++) {
        int n;
        switch (*text) {
        case '@':
            n = snprintf(out + used, out_B - used, "%s%u", node->prefix, node->minor);
            break;
        case '#':
            n = snprintf(out + used, out_B - used, "%u:%u", SHIM_DRM_MAJOR, node->minor);
            break;
        case '$':
            n = snprintf(out + used, out_B - used, "%u", node->minor);
            break;
        default:
            out[used] = *text;
            n = 1;
        }
        used = MIN2(used + (size_t)n, out_B - 1);
    }
    out[used] = '\0';
}

/* Rows without a node's name or number exist once, not per node. */
static bool has_row(const struct row *row, const struct node *node)
{
    return node == &nodes[0] || strpbrk(row->path, "@#");
}

static void find_free_minor(struct node *node)
{
    int (*real_stat)(const char *, struct stat64 *) = SHIM_REAL(stat64);
    for (node->minor = node->first; node->minor < node->last; node->minor++) {
        char path[64];
        struct stat64 st;
        expand(path, sizeof path, "/dev/dri/@", node);
        bool is_taken = real_stat && !real_stat(path, &st);
        expand(path, sizeof path, "/sys/dev/char/#", node);
        is_taken |= real_stat && !real_stat(path, &st);
        if (!is_taken)
            break;
    }
}

static void find_nodes(void)
{
    const char *display = util_environment("VC4VK_SHIM_DISPLAY");
    node_count = display && !strcmp(display, "none") ? 1 : 2;
    for (uint32_t i = 0; i < node_count; i++)
        find_free_minor(&nodes[i]);
}

static void ensure_nodes(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_nodes);
}

struct shim_entry shim_node_entry(bool is_primary)
{
    ensure_nodes();
    struct shim_entry entry = {.kind = SHIM_NODE, .inode = 0x76633401 + is_primary, .minor = nodes[is_primary].minor};
    expand(entry.path, sizeof entry.path, "/dev/dri/@", &nodes[is_primary]);
    return entry;
}

/* Removes double and trailing slashes. False when the path is relative, or too long to be an emulated one. */
static bool normalise_path(char *out, size_t out_B, const char *path)
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

/* Replaces a leading link by its target; with `and_last` also when the link is the whole path. */
static bool follow_one(char *path, size_t path_B, const struct node *node, bool and_last)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(links); i++) {
        char from[128], to[128], rest[128];
        expand(from, sizeof from, links[i].from, node);
        size_t n = strlen(from);
        if (strncmp(path, from, n) || (path[n] != '/' && !(path[n] == '\0' && and_last)))
            continue;
        expand(to, sizeof to, links[i].to, node);
        snprintf(rest, sizeof rest, "%s", path + n);
        return snprintf(path, path_B, "%s%s", to, rest) < (int)path_B;
    }
    return false;
}

static bool find_row(struct shim_entry *entry, const struct node *node)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char name[128];
        expand(name, sizeof name, rows[i].path, node);
        if (!has_row(&rows[i], node) || strcmp(name, entry->path))
            continue;
        if (rows[i].kind == SHIM_NODE) {
            *entry = shim_node_entry(node != &nodes[0]);
            return true;
        }
        entry->kind = rows[i].kind;
        entry->inode = 0x76633500 + i + (uint64_t)(node - nodes) * ARRAY_SIZE(rows);
        expand(entry->content, sizeof entry->content, rows[i].content, node);
        return true;
    }
    return false;
}

static struct shim_entry lookup(const char *path, bool follow_last)
{
    struct shim_entry entry = {.kind = SHIM_NONE};
    if (!path || (strncmp(path, "/dev/", 5) && strncmp(path, "/sys/", 5)) ||
        !normalise_path(entry.path, sizeof entry.path, path))
        return entry;
    ensure_nodes();
    for (uint32_t i = 0; i < node_count; i++)
        while (follow_one(entry.path, sizeof entry.path, &nodes[i], follow_last)) {
        }
    for (uint32_t i = 0; i < node_count; i++)
        if (find_row(&entry, &nodes[i]))
            break;
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
    for (uint32_t i = 0; i < node_count * ARRAY_SIZE(rows); i++) {
        const struct row *row = &rows[i % ARRAY_SIZE(rows)];
        const struct node *node = &nodes[i / ARRAY_SIZE(rows)];
        char name[128];
        expand(name, sizeof name, row->path, node);
        if (!has_row(row, node) || strncmp(name, dir_path, n) || name[n] != '/' || strchr(name + n + 1, '/') || index--)
            continue;
        snprintf(name_out, 64, "%s", name + n + 1);
        *kind_out = row->kind;
        return true;
    }
    return false;
}
