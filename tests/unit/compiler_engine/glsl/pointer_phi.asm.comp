; SPIR-V
; A phi of one pointer, as spirv-opt's loop peeling leaves behind a loop that lanes leave at different times: invocation i
; goes round it i mod 5 + 1 times, and reads word 8 + (i mod 5) behind it. One workgroup of 16; results from word 16 on.
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 16 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block BufferBlock
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%to_block = OpTypePointer Uniform %block
%to_uint = OpTypePointer Uniform %uint
%in_uint = OpTypePointer Input %uint
%buffer = OpVariable %to_block Uniform
%id = OpVariable %in_uint Input
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n5 = OpConstant %uint 5
%n8 = OpConstant %uint 8
%n16 = OpConstant %uint 16
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %id
%last = OpUMod %uint %i %n5
OpBranch %loop
%loop = OpLabel
%k = OpPhi %uint %n0 %entry %next %again
%word = OpIAdd %uint %k %n8
%at = OpAccessChain %to_uint %buffer %n0 %word
OpLoopMerge %done %again None
OpBranch %again
%again = OpLabel
%next = OpIAdd %uint %k %n1
%more = OpULessThan %bool %k %last
OpBranchConditional %more %loop %done
%done = OpLabel
%there = OpPhi %to_uint %at %again
%value = OpLoad %uint %there
%result = OpIAdd %uint %n16 %i
%mine = OpAccessChain %to_uint %buffer %n0 %result
OpStore %mine %value
OpReturn
OpFunctionEnd
