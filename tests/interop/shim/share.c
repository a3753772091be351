/* SPDX-License-Identifier: MIT
 *
 * An ordinary DRM program under the shim, continued: sync objects and sync files, and memory that open files and
 * processes share.
 */
#include "node.h"
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int wait_syncobj(int fd, uint32_t handle, int64_t timeout_ns)
{
    return drmSyncobjWait(fd, &handle, 1, now_ns() + timeout_ns, 0, NULL) ? -errno : 0;
}

static void sync_objects(void **state)
{
    const int64_t second_ns = 1000000000;
    int fd = open_node();
    uint32_t fence, signalled;
    uint64_t seqno;
    assert_int_equal(drmSyncobjCreate(fd, 0, &fence), 0);
    assert_int_equal(drmSyncobjCreate(fd, DRM_SYNCOBJ_CREATE_SIGNALED, &signalled), 0);
    assert_int_equal(wait_syncobj(fd, signalled, 0), 0);
    assert_int_equal(wait_syncobj(fd, fence, 0), -EINVAL); /* it has no fence */
    uint32_t handle = create_bo(fd, SURFACE_B);
    uint32_t *pixels = map_bo(fd, handle, SURFACE_B);
    assert_int_equal(submit_clear(fd, handle, 5, signalled, fence, &seqno), 0);
    assert_int_equal(wait_syncobj(fd, fence, 10 * second_ns), 0);
    assert_int_equal(pixels[0], 5);
    assert_int_equal(submit_clear(fd, handle, 6, fence, 0, &seqno), 0);
    assert_int_equal(submit_clear(fd, handle, 6, 999, 0, &seqno), -ENOENT);
    assert_int_equal(submit_clear(fd, handle, 6, 0, 999, &seqno), -EINVAL);
    assert_int_equal(drmSyncobjReset(fd, &fence, 1), 0);
    assert_int_equal(wait_syncobj(fd, fence, 0), -EINVAL);
    uint32_t first = 9, both[2] = {fence, signalled};
    assert_int_equal(drmSyncobjWait(fd, both, 2, now_ns(), DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, &first), 0);
    assert_int_equal(first, 1);
    int err = drmSyncobjWait(fd, both, 2, now_ns() + 1000000,
                             DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL, &first);
    assert_true(err == -ETIME || errno == ETIME);
    assert_int_equal(drmSyncobjSignal(fd, &fence, 1), 0);
    assert_int_equal(wait_syncobj(fd, fence, 0), 0);
    assert_int_equal(drmSyncobjDestroy(fd, fence), 0);
    assert_int_not_equal(drmSyncobjDestroy(fd, fence), 0);
    munmap(pixels, SURFACE_B);
    close(fd);
}

static void sync_files(void **state)
{
    int fd = open_node(), other = open_node(), file, object_fd;
    uint32_t fence, theirs, again;
    uint64_t seqno;
    assert_int_equal(drmSyncobjCreate(fd, 0, &fence), 0);
    assert_int_not_equal(drmSyncobjExportSyncFile(fd, fence, &file), 0);
    uint32_t handle = create_bo(fd, SURFACE_B);
    assert_int_equal(submit_clear(fd, handle, 5, 0, fence, &seqno), 0);
    assert_int_equal(drmSyncobjExportSyncFile(fd, fence, &file), 0);
    struct pollfd poll_fd = {.fd = file, .events = POLLIN};
    assert_int_equal(poll(&poll_fd, 1, 10000), 1);
    struct sync_file_info info = {0};
    assert_int_equal(ioctl(file, SYNC_IOC_FILE_INFO, &info), 0);
    assert_int_equal(info.status, 1);
    assert_int_equal(drmSyncobjCreate(other, 0, &theirs), 0);
    assert_int_equal(drmSyncobjImportSyncFile(other, theirs, file), 0);
    assert_int_equal(wait_syncobj(other, theirs, 0), 0);
    close(file);
    assert_int_equal(drmSyncobjReset(fd, &fence, 1), 0);
    assert_int_equal(drmSyncobjHandleToFD(fd, fence, &object_fd), 0); /* the object itself */
    assert_int_equal(drmSyncobjFDToHandle(other, object_fd, &again), 0);
    close(object_fd);
    assert_int_equal(drmSyncobjSignal(fd, &fence, 1), 0);
    assert_int_equal(wait_syncobj(other, again, 0), 0);
    close(other);
    close(fd);
}

/* A mapping that was made before the export shows what others write. */
static void memory_in_one_process(void **state)
{
    int fd = open_node(), other = open_node(), buf, buf2;
    uint32_t handle = create_bo(fd, SURFACE_B), theirs, same;
    uint32_t *pixels = map_bo(fd, handle, SURFACE_B);
    pixels[3] = 0x1111;
    assert_int_equal(drmPrimeHandleToFD(fd, handle, DRM_CLOEXEC | DRM_RDWR, &buf), 0);
    assert_int_equal(pixels[3], 0x1111);
    struct stat st;
    assert_int_equal(lseek(buf, 0, SEEK_END), SURFACE_B);
    assert_int_equal(fstat(buf, &st), 0);
    assert_int_equal(st.st_size, SURFACE_B);
    struct dma_buf_sync sync = {.flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ};
    assert_int_equal(ioctl(buf, DMA_BUF_IOCTL_SYNC, &sync), 0);
    assert_int_equal(drmPrimeFDToHandle(fd, buf, &same), 0);
    assert_int_equal(same, handle);
    assert_int_equal(drmPrimeFDToHandle(other, buf, &theirs), 0);
    uint32_t *their_pixels = map_bo(other, theirs, SURFACE_B);
    uint32_t *buf_pixels = mmap(NULL, SURFACE_B, PROT_READ | PROT_WRITE, MAP_SHARED, buf, 0);
    assert_ptr_not_equal(buf_pixels, MAP_FAILED);
    assert_int_equal(their_pixels[3], 0x1111);
    buf_pixels[4] = 0x2222;
    assert_int_equal(pixels[4], 0x2222);
    assert_int_equal(their_pixels[4], 0x2222);
    clear_and_wait(other, theirs, 0x3333);
    assert_int_equal(pixels[0], 0x3333);
    assert_int_equal(buf_pixels[SIDE_PX * SIDE_PX - 1], 0x3333);
    assert_int_equal(drmPrimeHandleToFD(other, theirs, DRM_CLOEXEC, &buf2), 0);
    assert_int_equal(drmPrimeFDToHandle(fd, buf2, &same), 0);
    assert_int_equal(same, handle);
    assert_int_not_equal(drmPrimeFDToHandle(fd, STDOUT_FILENO, &same), 0);
    munmap(pixels, SURFACE_B);
    munmap(their_pixels, SURFACE_B);
    munmap(buf_pixels, SURFACE_B);
    close(buf);
    close(buf2);
    close(other);
    close(fd);

    fd = open_node(); /* memory that was shared is cleared before it is reused */
    handle = create_bo(fd, SURFACE_B);
    pixels = map_bo(fd, handle, SURFACE_B);
    for (uint32_t i = 0; i < SIDE_PX * SIDE_PX; i++)
        assert_int_equal(pixels[i], 0);
    munmap(pixels, SURFACE_B);
    close(fd);
}

static void send_fd(int socket, int fd)
{
    char byte = 0, control[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec iov = {&byte, 1};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
    *cmsg = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(cmsg), &fd, sizeof fd);
    if (sendmsg(socket, &msg, 0) != 1)
        _exit(2);
}

static int receive_fd(int socket)
{
    int fd;
    char byte, control[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec iov = {&byte, 1};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    assert_int_equal(recvmsg(socket, &msg, MSG_CMSG_CLOEXEC), 1);
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof fd);
    return fd;
}

/* One process draws and the other reads, like a client and a compositor. */
static void memory_of_two_processes(void **state)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    pid_t child = fork();
    if (!child) {
        int fd = open_node(), buf;
        uint32_t handle = create_bo(fd, SURFACE_B);
        clear_and_wait(fd, handle, 0x600d);
        if (drmPrimeHandleToFD(fd, handle, DRM_CLOEXEC | DRM_RDWR, &buf))
            _exit(3);
        send_fd(ends[0], buf);
        _exit(0);
    }
    int buf = receive_fd(ends[1]), fd = open_node(), status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    uint32_t handle;
    assert_int_equal(drmPrimeFDToHandle(fd, buf, &handle), 0);
    uint32_t *pixels = map_bo(fd, handle, SURFACE_B);
    assert_int_equal(pixels[0], 0x600d);
    assert_int_equal(pixels[SIDE_PX * SIDE_PX - 1], 0x600d);
    munmap(pixels, SURFACE_B);
    close(buf);
    close(fd);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sync_objects),
        cmocka_unit_test(sync_files),
        cmocka_unit_test(memory_in_one_process),
        cmocka_unit_test(memory_of_two_processes),
    };
    return cmocka_run_group_tests_name("shim_share", tests, NULL, NULL);
}
