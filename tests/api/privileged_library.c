/* SPDX-License-Identifier: MIT
 *
 * A library that privileged.py names where libvc4vk_jit.so is expected: it leaves a file when it is loaded.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void tell(void)
{
    const char *path = getenv("VKT_TELL");
    int fd = path ? open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666) : -1;
    if (fd >= 0)
        close(fd);
}
