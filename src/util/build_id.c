/* SPDX-License-Identifier: MIT
 *
 * Reads the GNU build id of the library or program that contains this code, from its ELF notes.
 */
#include <link.h>
#include <string.h>
#include "util/build_id.h"
#include "util/digest.h"

struct search {
    uintptr_t address; /* an address within our library */
    const uint8_t *id;
    uint32_t size_B;
};

static bool is_in_object(const struct dl_phdr_info *info, uintptr_t address)
{
    for (uint32_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        if (ph->p_type == PT_LOAD && address - (info->dlpi_addr + ph->p_vaddr) < ph->p_memsz)
            return true;
    }
    return false;
}

static int find_note(struct dl_phdr_info *info, size_t size_B, void *data)
{
    struct search *search = data;
    if (!is_in_object(info, search->address))
        return 0;
    for (uint32_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        if (ph->p_type != PT_NOTE)
            continue;
        const uint8_t *at = (const uint8_t *)(uintptr_t)(info->dlpi_addr + ph->p_vaddr), *end = at + ph->p_memsz;
        while (at + sizeof(ElfW(Nhdr)) <= end) {
            const ElfW(Nhdr) *note = (const void *)at;
            const uint8_t *name = at + sizeof *note, *desc = name + util_align(note->n_namesz, 4);
            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(name, "GNU", 4)) {
                search->id = desc;
                search->size_B = note->n_descsz;
                return 1;
            }
            at = desc + util_align(note->n_descsz, 4);
        }
    }
    return 1;
}

void util_build_id(uint8_t id_out[UTIL_BUILD_ID_B])
{
    struct search search = {.address = (uintptr_t)&util_build_id};
    dl_iterate_phdr(find_note, &search);
    const void *bytes = search.id ? (const void *)search.id : UTIL_VERSION;
    size_t size_B = search.id ? search.size_B : strlen(UTIL_VERSION);
    const struct util_digest digest = util_digest_bytes(bytes, size_B);
    memcpy(id_out, digest.bytes, UTIL_BUILD_ID_B);
}
