#version 450
// One step of particles that fall and bounce off the borders.
layout(local_size_x = 64) in;
struct particle { vec2 at, speed; };
layout(binding = 0) buffer Particles { particle particles[]; };
void main()
{
    particle p = particles[gl_GlobalInvocationID.x];
    p.speed.y += 0.01;
    p.at += p.speed;
    if (abs(p.at.x) > 0.9)
        p.speed.x = -sign(p.at.x) * abs(p.speed.x);
    if (abs(p.at.y) > 0.9)
        p.speed.y = -sign(p.at.y) * abs(p.speed.y);
    particles[gl_GlobalInvocationID.x] = p;
}
