/* SPDX-License-Identifier: MIT
 *
 * Display events: vertical blanks and hot-plug.
 *
 * Hot-plug events are read from the kernel's uevent socket, not from udevd: there is no device node to wait for and no
 * rule to run, the kernel's message holds everything needed (libudev would read no more of it), and on a bare console
 * or in a container udevd may not run.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <xf86drm.h>
#include "util/macros.h"
#include "util/thread.h"
#include "wsi/vc4vk_kms.h"

#define KERNEL_GROUP  1u    /* of NETLINK_KOBJECT_UEVENT; udevd uses another group [kernel kobject_uevent.c] */
#define MESSAGE_MAX_B 8192u /* larger than any uevent */

/* -- vertical blanks ---------------------------------------------------------------------------------------------- */

/* A CRTC that is off has no vertical blanks: the kernel returns EINVAL. If the kernel driver does not count them, the
 * count is derived from the clock. */
static int ask_vblank(const struct vc4vk_kms *kms, uint32_t crtc, uint64_t refresh_ns, struct vc4vk_kms_vblank *out)
{
    if (drmCrtcGetSequence(kms->fd, crtc, &out->count, &out->time_ns)) {
        if (errno != EOPNOTSUPP)
            return errno == EINVAL ? -ENOTCONN : -errno;
        out->count = util_now_ns() / refresh_ns;
        out->time_ns = out->count * refresh_ns;
    }
    out->next_ns = out->time_ns + refresh_ns;
    return 0;
}

static int vblank_locked(struct vc4vk_kms *kms, uint32_t connector, struct vc4vk_kms_vblank *out)
{
    const struct vc4vk_kms_crtc *crtc = vc4vk_kms_current_crtc(kms, connector);
    drmModeCrtc *now = crtc && !crtc->is_dark ? drmModeGetCrtc(kms->fd, crtc->id) : NULL;
    int err = now && now->mode_valid ? ask_vblank(kms, crtc->id, vc4vk_kms_refresh_ns(&now->mode), out) : -ENOTCONN;
    drmModeFreeCrtc(now);
    return err;
}

int vc4vk_kms_vblank(struct vc4vk_kms *kms, uint32_t connector, struct vc4vk_kms_vblank *out)
{
    pthread_mutex_lock(&kms->lock); /* so that kms->fd is not replaced meanwhile */
    int err = vblank_locked(kms, connector, out);
    pthread_mutex_unlock(&kms->lock);
    return err;
}

/* -- hot-plug ----------------------------------------------------------------------------------------------------- */

int vc4vk_kms_open_uevents(void)
{
    const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
    if (fd < 0)
        return -errno;
    if (!bind(fd, (const struct sockaddr *)&kernel, sizeof kernel))
        return fd;
    int err = -errno;
    close(fd);
    return err;
}

/* Whether the message contains the line. A message is a sequence of zero-terminated lines. */
static bool has_line(const char *message, size_t size_B, const char *line)
{
    for (const char *at = message; at < message + size_B; at += strlen(at) + 1)
        if (!strcmp(at, line))
            return true;
    return false;
}

/* [kernel drm_sysfs.c] */
static bool is_hotplug(const struct vc4vk_kms *kms, const char *message, size_t size_B)
{
    char major_line[32], minor_line[32];
    snprintf(major_line, sizeof major_line, "MAJOR=%u", major(kms->device));
    snprintf(minor_line, sizeof minor_line, "MINOR=%u", minor(kms->device));
    return has_line(message, size_B, "HOTPLUG=1") && has_line(message, size_B, "SUBSYSTEM=drm") &&
           has_line(message, size_B, major_line) && has_line(message, size_B, minor_line);
}

bool vc4vk_kms_read_uevents(const struct vc4vk_kms *kms, int fd)
{
    char message[MESSAGE_MAX_B];
    bool is_plugged = false;
    for (;;) {
        struct sockaddr_nl sender = {0};
        socklen_t sender_B = sizeof sender;
        ssize_t size_B = recvfrom(fd, message, sizeof message - 1, 0, (struct sockaddr *)&sender, &sender_B);
        if (size_B < 0 && errno == EINTR)
            continue;
        if (size_B < 0 && errno == ENOBUFS) { /* messages were lost; one of them may have been a hot-plug */
            is_plugged = true;
            continue;
        }
        if (size_B < 0)
            return is_plugged;
        message[size_B] = '\0';
        const bool is_from_kernel = sender_B == sizeof sender && sender.nl_family == AF_NETLINK && !sender.nl_pid;
        is_plugged |= is_from_kernel && is_hotplug(kms, message, (size_t)size_B);
    }
}
