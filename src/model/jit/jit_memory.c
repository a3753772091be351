/* SPDX-License-Identifier: MIT
 *
 * Gives memory back while nothing is compiled. LLVM is tens of MiB of code, of which loading and the set-up touch far
 * more than compiling does: its pages leave the process and come back, from the page cache, where they are wanted
 * again. They are the file's own words: what cannot be written holds nothing else, and is all that is let go.
 */
#include <link.h>
#include <llvm-c/Core.h>
#include <malloc.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>
#include "model/jit/jit_memory.h"

static bool holds(const struct dl_phdr_info *object, uintptr_t address)
{
    for (unsigned n = 0; n < object->dlpi_phnum; n++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[n];
        if (part->p_type == PT_LOAD && address - (object->dlpi_addr + part->p_vaddr) < part->p_memsz)
            return true;
    }
    return false;
}

static int let_go(struct dl_phdr_info *object, size_t size_B, void *address)
{
    const uintptr_t page_B = (uintptr_t)sysconf(_SC_PAGESIZE);

    (void)size_B;
    if (!holds(object, (uintptr_t)address))
        return 0;
    for (unsigned n = 0; n < object->dlpi_phnum; n++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[n];
        if (part->p_type != PT_LOAD || part->p_flags & PF_W)
            continue;
        uintptr_t first = (object->dlpi_addr + part->p_vaddr) & ~(page_B - 1);
        uintptr_t end = object->dlpi_addr + part->p_vaddr + part->p_filesz;
        madvise((void *)first, end - first, MADV_NOHUGEPAGE); /* a few pages are wanted, not two MiB around each */
        madvise((void *)first, end - first, MADV_DONTNEED);
    }
    return 1;
}

void jit_memory_give_back(void)
{
    dl_iterate_phdr(let_go, (void *)(uintptr_t)LLVMContextCreate);
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
