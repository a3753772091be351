packages=(vkd3d-demos) through='vkd3d'
cases=(gears triangle)
run_case() { frame 1 vkd3d-$1; }
