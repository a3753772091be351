packages=(vulkan-tools) through=Vulkan
run_case() { vulkaninfo >$out.txt; }
