#version 450
// The fragment stage of pipelines that have none: writes depth and stencil as the state says, no colour.
void main() {}
