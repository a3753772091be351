; SPIR-V
; Version: 1.4
; Arrays of structs without members, wherever a value may be: spirv-opt leaves such structs behind where it has removed
; all members.
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %in %out %of_all %of_group
OpExecutionMode %main LocalSize 16 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %many_stored ArrayStride 4
OpDecorate %in_block Block
OpMemberDecorate %in_block 0 Offset 0
OpMemberDecorate %in_block 1 Offset 12
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %in NonWritable
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%uvec3 = OpTypeVector %uint 3
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n3 = OpConstant %uint 3
%n17 = OpConstant %uint 17
%most = OpConstant %uint 4000000000
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%nothing = OpTypeStruct
%many = OpTypeArray %nothing %n3
%many_stored = OpTypeArray %nothing %n3
%in_block = OpTypeStruct %many_stored %words
%pile = OpTypeArray %nothing %most
%both = OpTypeStruct %many %nothing %many
%mixed = OpTypeStruct %many %uint %pile
%takes_many = OpTypeFunction %many %many %uint
%empty = OpConstantComposite %nothing
%three = OpConstantComposite %many %empty %empty %empty
%no_pile = OpConstantNull %pile
%start = OpConstantComposite %mixed %three %n17 %no_pile
%unknown = OpUndef %many
%to_block = OpTypePointer StorageBuffer %block
%to_in = OpTypePointer StorageBuffer %in_block
%to_stored = OpTypePointer StorageBuffer %many_stored
%to_uint = OpTypePointer StorageBuffer %uint
%in_uvec3 = OpTypePointer Input %uvec3
%own_many = OpTypePointer Function %many
%own_nothing = OpTypePointer Function %nothing
%own_mixed = OpTypePointer Function %mixed
%own_uint = OpTypePointer Function %uint
%own_pile = OpTypePointer Function %pile
%private_both = OpTypePointer Private %both
%group_many = OpTypePointer Workgroup %many
%id = OpVariable %in_uvec3 Input
%in = OpVariable %to_in StorageBuffer
%out = OpVariable %to_block StorageBuffer
%of_all = OpVariable %private_both Private
%of_group = OpVariable %group_many Workgroup
%main = OpFunction %void None %fn
%entry = OpLabel
%local = OpVariable %own_many Function %three
%heap = OpVariable %own_pile Function
%whole = OpVariable %own_mixed Function %start
%ids = OpLoad %uvec3 %id
%i = OpCompositeExtract %uint %ids 0
%from = OpAccessChain %to_uint %in %n1 %i
%word = OpLoad %uint %from
%odd = OpBitwiseAnd %uint %word %n1
%is_odd = OpINotEqual %bool %odd %n0
%stored_at = OpAccessChain %to_stored %in %n0
%stored = OpLoad %many_stored %stored_at
%e0 = OpCopyLogical %many %stored
OpStore %local %e0
%e1 = OpLoad %many %local
%e2 = OpFunctionCall %many %pass %e1 %word
OpStore %of_group %e2
%e3 = OpLoad %many %of_group
%e4 = OpSelect %many %is_odd %e3 %unknown
OpSelectionMerge %after None
OpBranchConditional %is_odd %then %after
%then = OpLabel
%e5 = OpCompositeInsert %many %empty %e4 2
OpBranch %after
%after = OpLabel
%e6 = OpPhi %many %e4 %entry %e5 %then
%pair = OpCompositeConstruct %both %e6 %empty %e3
OpStore %of_all %pair
%again = OpLoad %both %of_all
%e7 = OpCompositeExtract %nothing %again 0 1
%cell = OpAccessChain %own_nothing %heap %word
OpStore %cell %e7
%e8 = OpLoad %nothing %cell
%piled = OpLoad %pile %heap
%number_at = OpAccessChain %own_uint %whole %n1
%number = OpLoad %uint %number_at
%mixture = OpCompositeConstruct %mixed %e6 %number %piled
%changed = OpCompositeInsert %mixed %word %mixture 1
OpStore %whole %changed
%copied = OpCopyObject %mixed %changed
%back = OpLoad %uint %number_at
%same = OpCompositeExtract %uint %copied 1
%sum = OpIAdd %uint %back %same
%sum2 = OpIAdd %uint %sum %number
%deep_at = OpAccessChain %own_uint %whole %n1
OpStore %deep_at %sum2
%result = OpLoad %uint %deep_at
%to = OpAccessChain %to_uint %out %n0 %i
OpStore %to %result
OpReturn
OpFunctionEnd
%pass = OpFunction %many None %takes_many
%parameter = OpFunctionParameter %many
%number_of = OpFunctionParameter %uint
%pass_entry = OpLabel
%is_zero = OpIEqual %bool %number_of %n0
OpSelectionMerge %pass_after None
OpBranchConditional %is_zero %pass_then %pass_after
%pass_then = OpLabel
OpReturnValue %three
%pass_after = OpLabel
OpReturnValue %parameter
OpFunctionEnd
