/* SPDX-License-Identifier: MIT
 *
 * What displays do of themselves: vertical blanks, and being plugged in and pulled out.
 *
 * Hot-plug is heard from the kernel, not from udevd: there is no device node to wait for and no rule to run, the
 * kernel's message says all that is asked (libudev would read no more of it), and on a bare console or in a container
 * nobody need be there to pass it on.
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

#define KERNEL_GROUP  1u    /* of NETLINK_KOBJECT_UEVENT; udevd's is another [kernel kobject_uevent.c] */
#define MESSAGE_MAX_B 8192u /* more than any has */

/* -- vertical blanks ---------------------------------------------------------------------------------------------- */

/* A CRTC that is off has none: the kernel says EINVAL. Of a driver that counts none they come by the clock. */
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
    pthread_mutex_lock(&kms->lock); /* the file stays */
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

/* Lines behind each other, each with its zero. */
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
        if (size_B < 0 && errno == ENOBUFS) { /* some are lost: it may have been one of them */
            is_plugged = true;
            continue;
        }
        if (size_B < 0)
            return is_plugged;
        message[size_B] = '\0';
        const bool is_kernels = sender_B == sizeof sender && sender.nl_family == AF_NETLINK && !sender.nl_pid;
        is_plugged |= is_kernels && is_hotplug(kms, message, (size_t)size_B);
    }
}
