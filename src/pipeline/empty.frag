#version 450
// Replaces the missing fragment stage of a pipeline: no colour output; the pipeline state writes depth and stencil.
void main() {}
