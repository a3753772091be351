/* SPDX-License-Identifier: MIT
 *
 * What a test tells the preloaded /dev/udmabuf of fake_udmabuf.c, and what that has counted. The test finds it with
 * dlsym(): without the library there is none.
 */
#ifndef FAKE_UDMABUF_H
#define FAKE_UDMABUF_H

#include <stdbool.h>
#include <stdint.h>

#define FAKE_UDMABUF_CONTROL "fake_udmabuf_control" /* name of a struct fake_udmabuf */

struct fake_udmabuf {
    int open_errno;        /* opening the device fails so; 0: it works */
    int create_errno;      /* so does making a dma-buf ... */
    unsigned fails_at;     /* ... this many calls from now; 0: never */
    int mmap_errno;        /* so does mapping a dma-buf */
    uint64_t limit_B;      /* of a dma-buf, as the kernel's size_limit_mb */
    bool hides_limit;      /* the module's parameter cannot be read */
    unsigned created;      /* dma-bufs made */
    unsigned begun, ended; /* accesses of the CPU to dma-bufs */
};

#endif
