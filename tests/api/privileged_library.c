/* SPDX-License-Identifier: MIT
 *
 * A library that privileged.py gives to the driver in place of libvc4vk_jit.so. When loaded, it creates the file that
 * VKT_TELL names.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void on_load(void)
{
    const char *path = getenv("VKT_TELL");
    int fd = path ? open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666) : -1;
    if (fd >= 0)
        close(fd);
}
