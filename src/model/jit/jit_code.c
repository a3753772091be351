/* SPDX-License-Identifier: MIT
 *
 * Loads host code from a relocatable ELF file: lays out the allocated sections one after the other, applies relocations
 * and makes the result executable. Supports the relocations that LLVM emits for self-contained position-independent
 * code of the small code model [ABI supplements of x86-64 and AArch64].
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "model/jit/jit_code.h"

#define PAGE_B       4096u
#define SECTIONS_MAX 64u

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

struct loader {
    const uint8_t *file;
    size_t file_B;
    const Elf64_Ehdr *head;
    const Elf64_Shdr *sections;
    uint8_t *memory; /* the mapping, writable while loading */
    size_t size_B;
    size_t at[SECTIONS_MAX]; /* offset of each section in memory; SIZE_MAX: not loaded */
};

static bool is_inside(const struct loader *l, uint64_t offset, uint64_t size_B)
{
    return offset <= l->file_B && size_B <= l->file_B - offset;
}

static bool read_head(struct loader *l)
{
    const Elf64_Ehdr *h = (const void *)l->file;

    if (!is_inside(l, 0, sizeof *h) || memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_type != ET_REL || h->e_machine != MACHINE || h->e_shnum > SECTIONS_MAX || h->e_shoff % 8 ||
        h->e_shentsize != sizeof *l->sections || !is_inside(l, h->e_shoff, h->e_shnum * sizeof *l->sections))
        return false;
    l->head = h;
    l->sections = (const void *)(l->file + h->e_shoff);
    for (unsigned n = 0; n < h->e_shnum; n++) {
        const Elf64_Shdr *s = &l->sections[n];
        if (s->sh_type != SHT_NOBITS && !is_inside(l, s->sh_offset, s->sh_size))
            return false;
        if ((s->sh_type == SHT_RELA || s->sh_type == SHT_SYMTAB) && s->sh_offset % 8)
            return false;
    }
    return true;
}

/* Unwind tables are not loaded: the functions that host code calls never unwind through it. */
static bool occupies_memory(const Elf64_Shdr *s)
{
    return s->sh_flags & SHF_ALLOC && s->sh_type == SHT_PROGBITS;
}

static bool lay_out(struct loader *l)
{
    for (unsigned n = 0; n < l->head->e_shnum; n++) {
        const Elf64_Shdr *s = &l->sections[n];
        l->at[n] = SIZE_MAX;
        if (s->sh_flags & SHF_ALLOC && s->sh_type == SHT_NOBITS && s->sh_size)
            return false; /* code has no variables */
        if (!occupies_memory(s))
            continue;
        size_t align = s->sh_addralign ? (size_t)s->sh_addralign : 1;
        if (align > PAGE_B || align & (align - 1))
            return false;
        l->at[n] = (l->size_B + align - 1) & ~(align - 1);
        l->size_B = l->at[n] + (size_t)s->sh_size;
    }
    l->size_B = (l->size_B + PAGE_B - 1) & ~(size_t)(PAGE_B - 1);
    return l->size_B != 0;
}

static const Elf64_Sym *symbols_of(const struct loader *l, const Elf64_Shdr *table, size_t *count_out)
{
    *count_out = (size_t)table->sh_size / sizeof(Elf64_Sym);
    return (const void *)(l->file + table->sh_offset);
}

/* Address of a symbol; 0: this file does not define it. */
static uint64_t symbol_address(const struct loader *l, const Elf64_Sym *symbol)
{
    if (symbol->st_shndx >= l->head->e_shnum || l->at[symbol->st_shndx] == SIZE_MAX)
        return 0;
    return (uint64_t)(uintptr_t)l->memory + l->at[symbol->st_shndx] + symbol->st_value;
}

/* -- relocations -------------------------------------------------------------------------------------------------- */

static bool put32(uint8_t *at, int64_t value)
{
    int32_t word = (int32_t)value;

    memcpy(at, &word, 4);
    return word == value;
}

#if defined(__x86_64__)
static bool relocate(uint8_t *at, unsigned type, uint64_t target)
{
    switch (type) {
    case R_X86_64_64:
        memcpy(at, &target, 8);
        return true;
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
        return put32(at, (int64_t)(target - (uint64_t)(uintptr_t)at));
    default:
        return false;
    }
}
#else
/* Writes a field of `bits` bits at bit `shift` of an instruction. */
static void put_field(uint8_t *at, unsigned shift, unsigned bits, uint64_t value)
{
    uint32_t word, mask = (uint32_t)((UINT64_C(1) << bits) - 1);

    memcpy(&word, at, 4);
    word = (word & ~(mask << shift)) | ((uint32_t)value & mask) << shift;
    memcpy(at, &word, 4);
}

static bool relocate(uint8_t *at, unsigned type, uint64_t target)
{
    uint64_t here = (uint64_t)(uintptr_t)at, pages = (target >> 12) - (here >> 12), low = target & 0xfff;
    int64_t distance = (int64_t)(target - here);

    switch (type) {
    case R_AARCH64_ABS64:
        memcpy(at, &target, 8);
        return true;
    case R_AARCH64_PREL32:
        return put32(at, distance);
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
        put_field(at, 0, 26, (uint64_t)(distance >> 2));
        return distance >= -(1 << 27) && distance < 1 << 27;
    case R_AARCH64_ADR_PREL_PG_HI21:
        put_field(at, 29, 2, pages);
        put_field(at, 5, 19, pages >> 2);
        return true; /* within one mapping, so less than 4 GiB away */
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
        put_field(at, 10, 12, low);
        return true;
    case R_AARCH64_LDST16_ABS_LO12_NC:
        put_field(at, 10, 12, low >> 1);
        return true;
    case R_AARCH64_LDST32_ABS_LO12_NC:
        put_field(at, 10, 12, low >> 2);
        return true;
    case R_AARCH64_LDST64_ABS_LO12_NC:
        put_field(at, 10, 12, low >> 3);
        return true;
    case R_AARCH64_LDST128_ABS_LO12_NC:
        put_field(at, 10, 12, low >> 4);
        return true;
    default:
        return false;
    }
}
#endif

static bool apply_relocations(const struct loader *l, const Elf64_Shdr *s)
{
    const Elf64_Rela *relocations = (const void *)(l->file + s->sh_offset);
    size_t symbol_count;

    if (s->sh_info >= l->head->e_shnum || s->sh_link >= l->head->e_shnum)
        return false;
    if (l->at[s->sh_info] == SIZE_MAX)
        return true; /* for a section that is not loaded */
    if (l->sections[s->sh_link].sh_type != SHT_SYMTAB)
        return false;
    const Elf64_Sym *symbols = symbols_of(l, &l->sections[s->sh_link], &symbol_count);
    for (size_t n = 0; n < s->sh_size / sizeof *relocations; n++) {
        const Elf64_Rela *r = &relocations[n];
        size_t symbol = ELF64_R_SYM(r->r_info);
        uint64_t target = symbol < symbol_count ? symbol_address(l, &symbols[symbol]) : 0;
        uint64_t size_B = l->sections[s->sh_info].sh_size;
        if (!target || r->r_offset > size_B || size_B - r->r_offset < 8) {
            bool is_short = target && r->r_offset <= size_B && size_B - r->r_offset >= 4;
            if (!is_short || ELF64_R_TYPE(r->r_info) == (MACHINE == EM_X86_64 ? R_X86_64_64 : R_AARCH64_ABS64))
                return false;
        }
        if (!relocate(l->memory + l->at[s->sh_info] + r->r_offset, ELF64_R_TYPE(r->r_info),
                      target + (uint64_t)r->r_addend))
            return false;
    }
    return true;
}

/* -- loading ------------------------------------------------------------------------------------------------------- */

static uint64_t entry_address(const struct loader *l)
{
    for (unsigned n = 0; n < l->head->e_shnum; n++) {
        const Elf64_Shdr *s = &l->sections[n], *names;
        size_t count;
        if (s->sh_type != SHT_SYMTAB || s->sh_link >= l->head->e_shnum)
            continue;
        names = &l->sections[s->sh_link];
        const Elf64_Sym *symbols = symbols_of(l, s, &count);
        for (size_t i = 0; i < count; i++) {
            if (symbols[i].st_name <= names->sh_size && names->sh_size - symbols[i].st_name >= sizeof JIT_ENTRY &&
                !memcmp(l->file + names->sh_offset + symbols[i].st_name, JIT_ENTRY, sizeof JIT_ENTRY))
                return symbol_address(l, &symbols[i]);
        }
    }
    return 0;
}

static bool copy_and_relocate(struct loader *l)
{
    for (unsigned n = 0; n < l->head->e_shnum; n++) {
        if (l->at[n] != SIZE_MAX)
            memcpy(l->memory + l->at[n], l->file + l->sections[n].sh_offset, (size_t)l->sections[n].sh_size);
    }
    for (unsigned n = 0; n < l->head->e_shnum; n++) {
        if (l->sections[n].sh_type == SHT_RELA && !apply_relocations(l, &l->sections[n]))
            return false;
        if (l->sections[n].sh_type == SHT_REL)
            return false;
    }
    return true;
}

bool jit_code_load(const void *file, size_t file_B, struct jit_code *out, const char **message_out)
{
    struct loader l = {.file = file, .file_B = file_B};

    *out = (struct jit_code){0};
    *message_out = "malformed or unsupported object file";
    if (!read_head(&l) || !lay_out(&l))
        return false;
    l.memory = mmap(NULL, l.size_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (l.memory == MAP_FAILED) {
        *message_out = "out of memory for host code";
        return false;
    }
    uint64_t entry = copy_and_relocate(&l) ? entry_address(&l) : 0;
    uint64_t offset = entry - (uint64_t)(uintptr_t)l.memory;
    if (!entry || offset >= l.size_B || mprotect(l.memory, l.size_B, PROT_READ | PROT_EXEC)) {
        munmap(l.memory, l.size_B);
        return false;
    }
    __builtin___clear_cache((char *)l.memory, (char *)l.memory + l.size_B);
    *out = (struct jit_code){(jit_fn)(uintptr_t)entry, l.memory, l.size_B};
    *message_out = NULL;
    return true;
}

void jit_code_unload(struct jit_code *code)
{
    if (code->memory)
        munmap(code->memory, code->size_B);
    *code = (struct jit_code){0};
}
