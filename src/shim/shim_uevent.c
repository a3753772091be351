/* SPDX-License-Identifier: MIT
 *
 * Sends a uevent when the display is connected or disconnected [kernel drm_sysfs.c drm_sysfs_hotplug_event,
 * kobject_uevent.c].
 *
 * Only the kernel may send to its uevent sockets. So when a program binds a socket to the kernel's group, the shim
 * replaces the socket with one end of a socketpair. The program then receives uevents of the shim's display only.
 * Sockets bound to udevd's group are left alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "shim/shim.h"
#include "shim/shim_kms.h"

#define KERNEL_GROUP 1u

struct listener {
    struct util_list link;
    int fd;    /* our end */
    dev_t dev; /* dev and ino identify the program's end */
    ino_t ino;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct util_list listeners = {&listeners, &listeners};
static _Atomic uint32_t listener_count; /* read without the lock: while it is 0 there is nothing to do */
static uint64_t sequence;

static bool is_uevent_socket(int fd)
{
    int domain, protocol;
    socklen_t domain_B = sizeof domain, protocol_B = sizeof protocol;
    return !getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &domain_B) && domain == AF_NETLINK &&
           !getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &protocol_B) && protocol == NETLINK_KOBJECT_UEVENT;
}

/* Replaces the program's descriptor by the other end of a socketpair, with the same flags. */
static int replace_socket(int fd, struct listener *listener)
{
    const int descriptor_flags = fcntl(fd, F_GETFD), status_flags = fcntl(fd, F_GETFL);
    struct stat64 st;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends))
        return -errno;
    listener->fd = ends[0];
    int err = fcntl(ends[1], F_SETFL, status_flags & O_NONBLOCK) || SHIM_REAL(fstat64)(ends[1], &st) ||
                      dup3(ends[1], fd, descriptor_flags & FD_CLOEXEC ? O_CLOEXEC : 0) < 0
                  ? -errno
                  : 0;
    SHIM_REAL(close)(ends[1]);
    if (err) {
        SHIM_REAL(close)(ends[0]);
        return err;
    }
    listener->dev = st.st_dev;
    listener->ino = st.st_ino;
    return 0;
}

bool shim_uevent_bind(int fd, const struct sockaddr_nl *address, int *result_out)
{
    if (address->nl_family != AF_NETLINK || !(address->nl_groups & KERNEL_GROUP) || !is_uevent_socket(fd))
        return false;
    struct listener *listener = malloc(sizeof *listener);
    *result_out = listener ? replace_socket(fd, listener) : -ENOMEM;
    if (*result_out) {
        free(listener);
        return true;
    }
    pthread_mutex_lock(&lock);
    util_list_add_tail(&listeners, &listener->link);
    listener_count++;
    pthread_mutex_unlock(&lock);
    return true;
}

bool shim_uevent_is_listener(int fd)
{
    struct stat64 st;
    bool is_one = false;
    if (!listener_count || SHIM_REAL(fstat64)(fd, &st) || !S_ISSOCK(st.st_mode))
        return false;
    pthread_mutex_lock(&lock);
    util_list_for_each(struct listener, listener, &listeners, link)
        is_one |= listener->dev == st.st_dev && listener->ino == st.st_ino;
    pthread_mutex_unlock(&lock);
    return is_one;
}

/* The kernel's format: a header, then assignments, each zero-terminated. */
static size_t write_message(char *out, size_t out_B)
{
    const struct shim_entry node = shim_node_entry(true);
    char path[64];
    snprintf(path, sizeof path, "/sys/dev/char/%u:%u", SHIM_DRM_MAJOR, node.minor);
    const struct shim_entry device = shim_lookup_follow(path);
    const char *device_path = device.path + strlen("/sys"), *name = node.path + strlen("/dev/");
    int size_B = snprintf(out, out_B,
                          "change@%s%cACTION=change%cDEVPATH=%s%cSUBSYSTEM=drm%cHOTPLUG=1%cCONNECTOR=%u%cDEVNAME=%s%c"
                          "DEVTYPE=drm_minor%cSEQNUM=%llu%cMAJOR=%u%cMINOR=%u",
                          device_path, 0, 0, device_path, 0, 0, 0, SHIM_KMS_CONNECTOR, 0, name, 0, 0,
                          (unsigned long long)++sequence, 0, SHIM_DRM_MAJOR, 0, node.minor);
    return MIN2((size_t)size_B + 1, out_B);
}

void shim_uevent_send(void)
{
    char message[1024];
    pthread_mutex_lock(&lock);
    const size_t size_B = write_message(message, sizeof message);
    util_list_for_each_safe(struct listener, listener, &listeners, link) {
        if (send(listener->fd, message, size_B, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 || errno == EAGAIN)
            continue;
        util_list_del(&listener->link); /* the program has closed its end */
        listener_count--;
        SHIM_REAL(close)(listener->fd);
        free(listener);
    }
    pthread_mutex_unlock(&lock);
}

void shim_uevent_after_fork(void)
{
    (void)pthread_mutex_init(&lock, NULL); /* the thread that held it stayed in the parent */
    util_list_init(&listeners); /* the listeners are the parent's */
    listener_count = 0;
}
