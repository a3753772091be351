; SPIR-V
; Phis of pointers without variable pointers, as spirv-opt's loop passes leave them. One workgroup of 16. Words 16 to 31: a
; phi of one pointer after a loop that invocation i runs i mod 5 + 1 times, word 8 + (i mod 5). Words 32 to 47: a phi of two
; pointers with different indices, word i of the first 16 if i is even, else word 15 - i. Words 48 to 63: a phi of pointers
; to the same element of a local array. Words 64 to 79: two values that a loop swaps i mod 5 times, 1 or 5; the phis list the
; back edge first.
OpCapability Shader
%glsl = OpExtInstImport "GLSL.std.450"
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
%n15 = OpConstant %uint 15
%n16 = OpConstant %uint 16
%n32 = OpConstant %uint 32
%n48 = OpConstant %uint 48
%n64 = OpConstant %uint 64
%array = OpTypeArray %uint %n5
%to_array = OpTypePointer Function %array
%to_local = OpTypePointer Function %uint
%main = OpFunction %void None %fn
%entry = OpLabel
%local = OpVariable %to_array Function
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
%odd = OpBitwiseAnd %uint %i %n1
%is_odd = OpIEqual %bool %odd %n1
OpSelectionMerge %merged None
OpBranchConditional %is_odd %then %else
%then = OpLabel
%back = OpISub %uint %n15 %i
%at_back = OpAccessChain %to_uint %buffer %n0 %back
%local_then = OpAccessChain %to_local %local %n1
OpStore %local_then %i
OpBranch %merged
%else = OpLabel
%at_front = OpAccessChain %to_uint %buffer %n0 %i
%local_else = OpAccessChain %to_local %local %n1
OpStore %local_else %n16
OpBranch %merged
%merged = OpLabel
%either = OpPhi %to_uint %at_back %then %at_front %else
%local_one = OpPhi %to_local %local_then %then %local_else %else
%chosen = OpLoad %uint %either
%result2 = OpIAdd %uint %n32 %i
%mine2 = OpAccessChain %to_uint %buffer %n0 %result2
OpStore %mine2 %chosen
%kept = OpLoad %uint %local_one
%result3 = OpIAdd %uint %n48 %i
%mine3 = OpAccessChain %to_uint %buffer %n0 %result3
OpStore %mine3 %kept
OpBranch %swap
%swap = OpLabel
%a = OpPhi %uint %b %swap_again %n1 %merged
%b = OpPhi %uint %a %swap_again %n5 %merged
%left = OpPhi %uint %fewer %swap_again %last %merged
%larger = OpExtInst %uint %glsl UMax %a %n0
%none_left = OpIEqual %bool %left %n0
OpLoopMerge %swapped %swap_again None
OpBranchConditional %none_left %swapped %swap_again
%swap_again = OpLabel
%fewer = OpISub %uint %left %n1
OpBranch %swap
%swapped = OpLabel
%result4 = OpIAdd %uint %n64 %i
%mine4 = OpAccessChain %to_uint %buffer %n0 %result4
OpStore %mine4 %larger
OpReturn
OpFunctionEnd
