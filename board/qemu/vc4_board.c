/* SPDX-License-Identifier: MIT
 *
 * QEMU's side of the board: a device "vc4-v3d", which is nothing but glue around libvc4_v3d_device.so, and a machine
 * "vc4", which is QEMU's "virt" for Arm with that device and a screen (vc4_display.c) on it and in its device tree. Written
 * for QEMU 7.2 to 10.0; it is added to QEMU's hw/arm/ when `./run board` builds it.
 */
#include "qemu/osdep.h"
#include <dlfcn.h>
#include "qapi/error.h"
#include "qemu/main-loop.h"
#include "qemu/module.h"
#include "hw/arm/fdt.h"
#include "hw/arm/virt.h"
#include "hw/boards.h"
#include "hw/irq.h"
#include "hw/qdev-properties.h"
#include "hw/sysbus.h"
#include "qemu/units.h"
#if __has_include("system/device_tree.h")
#include "system/device_tree.h"
#else
#include "sysemu/device_tree.h"
#endif
#include "vc4_board.h"
#include "vc4vk/board_v3d.h"

/* -- the library --------------------------------------------------------------------------------------------------- */

struct library {
    unsigned (*version)(void);
    int (*create)(const struct board_v3d_machine *machine, struct board_v3d **out);
    void (*destroy)(struct board_v3d *v3d);
    uint32_t (*read)(struct board_v3d *v3d, uint32_t offset);
    void (*write)(struct board_v3d *v3d, uint32_t offset, uint32_t value);
    bool (*interrupt)(struct board_v3d *v3d);
    void (*reset)(struct board_v3d *v3d);
};

static bool find_symbols(void *handle, struct library *out)
{
    *(void **)&out->version = dlsym(handle, "board_v3d_version");
    *(void **)&out->create = dlsym(handle, "board_v3d_create");
    *(void **)&out->destroy = dlsym(handle, "board_v3d_destroy");
    *(void **)&out->read = dlsym(handle, "board_v3d_read");
    *(void **)&out->write = dlsym(handle, "board_v3d_write");
    *(void **)&out->interrupt = dlsym(handle, "board_v3d_interrupt");
    *(void **)&out->reset = dlsym(handle, "board_v3d_reset");
    return out->version && out->create && out->destroy && out->read && out->write && out->interrupt && out->reset;
}

static bool load_library(const char *path, struct library *out, Error **errp)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        error_setg(errp, "vc4-v3d: %s", dlerror());
        return false;
    }
    if (!find_symbols(handle, out) || out->version() != BOARD_V3D_VERSION) {
        error_setg(errp, "vc4-v3d: %s is not of the version that this QEMU was built for", path);
        dlclose(handle);
        return false;
    }
    return true;
}

/* -- the device ---------------------------------------------------------------------------------------------------- */

#define TYPE_VC4_V3D "vc4-v3d"
OBJECT_DECLARE_SIMPLE_TYPE(Vc4V3dState, VC4_V3D)

struct Vc4V3dState {
    SysBusDevice parent_obj;
    MemoryRegion registers;
    qemu_irq irq;
    QEMUBH *irq_bh;
    struct library library;
    struct board_v3d *v3d;

    /* properties */
    char *library_path;
    MemoryRegion *memory; /* the guest's RAM */
    uint64_t memory_addr;
    uint32_t threads, limit_ms;
};

static void update_irq(void *opaque)
{
    Vc4V3dState *s = opaque;
    qemu_set_irq(s->irq, s->library.interrupt(s->v3d));
}

static uint64_t vc4_v3d_read(void *opaque, hwaddr offset, unsigned size)
{
    Vc4V3dState *s = opaque;
    return s->library.read(s->v3d, (uint32_t)offset);
}

static void vc4_v3d_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    Vc4V3dState *s = opaque;
    s->library.write(s->v3d, (uint32_t)offset, (uint32_t)value);
    update_irq(s); /* before the guest goes on: it has cleared the interrupt, perhaps */
}

static const MemoryRegionOps vc4_v3d_ops = {
    .read = vc4_v3d_read,
    .write = vc4_v3d_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = {.min_access_size = 4, .max_access_size = 4},
    .impl = {.min_access_size = 4, .max_access_size = 4},
};

/* Called by threads of the library, which do not hold QEMU's lock. */
static void interrupt_changed(void *data)
{
    Vc4V3dState *s = data;
    qemu_bh_schedule(s->irq_bh);
}

static void vc4_v3d_reset(DeviceState *dev)
{
    Vc4V3dState *s = VC4_V3D(dev);
    s->library.reset(s->v3d);
    update_irq(s);
}

static void vc4_v3d_realize(DeviceState *dev, Error **errp)
{
    Vc4V3dState *s = VC4_V3D(dev);
    if (!s->memory) {
        error_setg(errp, "vc4-v3d: no memory");
        return;
    }
    if (!load_library(s->library_path ? s->library_path : "libvc4_v3d_device.so", &s->library, errp))
        return;
    const struct board_v3d_machine machine = {
        .memory = memory_region_get_ram_ptr(s->memory),
        .memory_addr = (uint32_t)s->memory_addr,
        .memory_size_B = (uint32_t)memory_region_size(s->memory),
        .interrupt_changed = interrupt_changed,
        .data = s,
        .threads = s->threads,
        .limit_ms = s->limit_ms,
        .resets_by_vpmbase = true, /* the device tree has no power domain */
    };
    if (s->memory_addr + memory_region_size(s->memory) > UINT32_MAX) {
        error_setg(errp, "vc4-v3d: the GPU's addresses have 32 bits: use less memory");
        return;
    }
    s->irq_bh = qemu_bh_new(update_irq, s);
    const int err = s->library.create(&machine, &s->v3d);
    if (err)
        error_setg(errp, "vc4-v3d: %s", strerror(-err));
}

static void vc4_v3d_unrealize(DeviceState *dev)
{
    Vc4V3dState *s = VC4_V3D(dev);
    s->library.destroy(s->v3d);
    s->v3d = NULL;
    qemu_bh_delete(s->irq_bh);
}

static void vc4_v3d_init(Object *obj)
{
    Vc4V3dState *s = VC4_V3D(obj);
    memory_region_init_io(&s->registers, obj, &vc4_v3d_ops, s, TYPE_VC4_V3D, BOARD_V3D_SIZE_B);
    sysbus_init_mmio(SYS_BUS_DEVICE(obj), &s->registers);
    sysbus_init_irq(SYS_BUS_DEVICE(obj), &s->irq);
}

static Property vc4_v3d_properties[] = {
    DEFINE_PROP_STRING("library", Vc4V3dState, library_path),
    DEFINE_PROP_LINK("memory", Vc4V3dState, memory, TYPE_MEMORY_REGION, MemoryRegion *),
    DEFINE_PROP_UINT64("memory-addr", Vc4V3dState, memory_addr, 0),
    DEFINE_PROP_UINT32("threads", Vc4V3dState, threads, 0),
    DEFINE_PROP_UINT32("limit-ms", Vc4V3dState, limit_ms, 0),
#ifdef DEFINE_PROP_END_OF_LIST
    DEFINE_PROP_END_OF_LIST(),
#endif
};

static void set_reset(DeviceClass *dc)
{
#if QEMU_VERSION_MAJOR > 9 || (QEMU_VERSION_MAJOR == 9 && QEMU_VERSION_MINOR >= 2)
    device_class_set_legacy_reset(dc, vc4_v3d_reset);
#else
    dc->reset = vc4_v3d_reset;
#endif
}

static void vc4_v3d_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    dc->desc = "3D block of VideoCore IV, around vc4vk's model";
    dc->realize = vc4_v3d_realize;
    dc->unrealize = vc4_v3d_unrealize;
    dc->user_creatable = false;
    set_reset(dc);
    device_class_set_props(dc, vc4_v3d_properties);
}

static const TypeInfo vc4_v3d_info = {
    .name = TYPE_VC4_V3D,
    .parent = TYPE_SYS_BUS_DEVICE,
    .instance_size = sizeof(Vc4V3dState),
    .instance_init = vc4_v3d_init,
    .class_init = vc4_v3d_class_init,
};

/* -- the machine --------------------------------------------------------------------------------------------------- */

/* Addresses and interrupts that "virt" leaves free. */
#define V3D_ADDR 0x09100000u
#define V3D_IRQ  11

static void (*virt_init)(MachineState *machine);

void vc4_add_node(void *fdt, const char *name, const char *compatible, uint64_t addr, uint64_t size_B, int irq)
{
    qemu_fdt_add_subnode(fdt, name);
    qemu_fdt_setprop_string(fdt, name, "compatible", compatible);
    if (size_B)
        qemu_fdt_setprop_sized_cells(fdt, name, "reg", 2, addr, 2, size_B);
    if (irq >= 0)
        qemu_fdt_setprop_cells(fdt, name, "interrupts", GIC_FDT_IRQ_TYPE_SPI, irq, GIC_FDT_IRQ_FLAGS_LEVEL_HI);
}

/* Returns the path of the library that the device has been given. */
static char *add_v3d(MachineState *machine)
{
    VirtMachineState *vms = VIRT_MACHINE(machine);
    DeviceState *dev = qdev_new(TYPE_VC4_V3D);
    object_property_set_link(OBJECT(dev), "memory", OBJECT(machine->ram), &error_fatal);
    qdev_prop_set_uint64(dev, "memory-addr", vms->memmap[VIRT_MEM].base);
    sysbus_realize_and_unref(SYS_BUS_DEVICE(dev), &error_fatal);
    sysbus_mmio_map(SYS_BUS_DEVICE(dev), 0, V3D_ADDR);
    sysbus_connect_irq(SYS_BUS_DEVICE(dev), 0, qdev_get_gpio_in(vms->gic, V3D_IRQ));
    vc4_add_node(machine->fdt, "/v3d@9100000", "brcm,bcm2835-v3d", V3D_ADDR, BOARD_V3D_SIZE_B, V3D_IRQ);
    return object_property_get_str(OBJECT(dev), "library", &error_fatal);
}

static void vc4_machine_init(MachineState *machine)
{
    virt_init(machine);
    g_autofree char *library = add_v3d(machine);
    vc4_add_display(machine, library);
    vc4_add_node(machine->fdt, "/gpu", "brcm,bcm2835-vc4", 0, 0, -1);
}

static void vc4_machine_class_init(ObjectClass *klass, void *data)
{
    MachineClass *mc = MACHINE_CLASS(klass);
    mc->desc = "QEMU's virt machine with the GPU of a Raspberry Pi 0 to 3 (vc4vk)";
    mc->default_ram_size = 1 * GiB;
    virt_init = mc->init;
    mc->init = vc4_machine_init;
}

static const TypeInfo vc4_machine_info = {
    .name = MACHINE_TYPE_NAME("vc4"),
    .parent = TYPE_VIRT_MACHINE,
    .class_init = vc4_machine_class_init,
};

static void vc4_register_types(void)
{
    type_register_static(&vc4_v3d_info);
    type_register_static(&vc4_machine_info);
}

type_init(vc4_register_types)
