; SPIR-V
; Atomics that GLSL does not have, one workgroup of 16; every qualifier of memory.
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 16 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block BufferBlock
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 0 Volatile
OpMemberDecorate %block 0 Coherent
OpMemberDecorate %block 0 Restrict
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
OpDecorate %buffer Aliased
OpDecorate %one_at Uniform
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%to_block = OpTypePointer Uniform %block
%to_uint = OpTypePointer Uniform %uint
%in_uint = OpTypePointer Input %uint
%buffer = OpVariable %to_block Uniform
%id = OpVariable %in_uint Input
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n2 = OpConstant %uint 2
%n3 = OpConstant %uint 3
%n4 = OpConstant %uint 4
%n5 = OpConstant %uint 5
%n8 = OpConstant %uint 8
%n9 = OpConstant %uint 9
%relaxed = OpConstant %uint 0
%all = OpConstant %uint 0x48 ; AcquireRelease, UniformMemory
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %id
%at0 = OpAccessChain %to_uint %buffer %n0 %n0
%one_at = OpAccessChain %to_uint %buffer %n0 %n1
%at2 = OpAccessChain %to_uint %buffer %n0 %n2
%at3 = OpAccessChain %to_uint %buffer %n0 %n3
%at4 = OpAccessChain %to_uint %buffer %n0 %n4
%at5 = OpAccessChain %to_uint %buffer %n0 %n5
%read = OpAtomicLoad %uint %at0 %n1 %relaxed
OpAtomicStore %one_at %n1 %relaxed %n9
%up = OpAtomicIIncrement %uint %at2 %n1 %relaxed
%down = OpAtomicIDecrement %uint %at3 %n1 %relaxed
%less = OpAtomicISub %uint %at4 %n1 %relaxed %i
OpMemoryBarrier %n1 %all
%after = OpIAdd %uint %n8 %i
%mine = OpAccessChain %to_uint %buffer %n0 %after
%sum = OpIAdd %uint %read %down
OpStore %mine %sum Volatile
%old = OpAtomicUMax %uint %at5 %n1 %all %up
OpReturn
OpFunctionEnd
