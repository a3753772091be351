; SPDX-License-Identifier: MIT
; What GLSL cannot say: outputs with initial values, which invocations of two subgroups overwrite in part; built-ins that are
; no members of a block; inputs that are loaded as a whole; a copy of memory.
OpCapability Tessellation
OpMemoryModel Logical GLSL450
OpEntryPoint TessellationControl %main "main" %in_position %invocation %out_position %value %whole %outer %inner
OpExecutionMode %main OutputVertices 20
OpDecorate %in_position BuiltIn Position
OpDecorate %invocation BuiltIn InvocationId
OpDecorate %out_position BuiltIn Position
OpDecorate %value Location 0
OpDecorate %whole Location 1
OpDecorate %whole Patch
OpDecorate %outer BuiltIn TessLevelOuter
OpDecorate %outer Patch
OpDecorate %inner BuiltIn TessLevelInner
OpDecorate %inner Patch
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%vec4 = OpTypeVector %float 4
%n0 = OpConstant %int 0
%n3 = OpConstant %int 3
%n10 = OpConstant %int 10
%u2 = OpConstant %uint 2
%u4 = OpConstant %uint 4
%u20 = OpConstant %uint 20
%u32 = OpConstant %uint 32
%quarter = OpConstant %float 0.25
%half = OpConstant %float 0.5
%three = OpConstant %float 3
%in_vertices = OpTypeArray %vec4 %u32
%vertices = OpTypeArray %vec4 %u20
%values = OpTypeArray %float %u20
%floats2 = OpTypeArray %float %u2
%floats4 = OpTypeArray %float %u4
%in_vertices_ptr = OpTypePointer Input %in_vertices
%in_vec4 = OpTypePointer Input %vec4
%in_int = OpTypePointer Input %int
%vertices_ptr = OpTypePointer Output %vertices
%values_ptr = OpTypePointer Output %values
%floats2_ptr = OpTypePointer Output %floats2
%floats4_ptr = OpTypePointer Output %floats4
%out_vec4 = OpTypePointer Output %vec4
%out_float = OpTypePointer Output %float
%quarters = OpConstantComposite %values %quarter %quarter %quarter %quarter %quarter %quarter %quarter %quarter %quarter %quarter %quarter %quarter %quarter %quarter %quarter %quarter %quarter %quarter %quarter %quarter
%zeros = OpConstantComposite %vec4 %quarter %quarter %quarter %quarter
%inner_levels = OpConstantComposite %floats2 %three %three
%outer_levels = OpConstantComposite %floats4 %three %three %three %three
%in_position = OpVariable %in_vertices_ptr Input
%invocation = OpVariable %in_int Input
%out_position = OpVariable %vertices_ptr Output
%value = OpVariable %values_ptr Output %quarters
%whole = OpVariable %out_vec4 Output %zeros
%outer = OpVariable %floats4_ptr Output %outer_levels
%inner = OpVariable %floats2_ptr Output
%main = OpFunction %void None %function
%label = OpLabel
%i = OpLoad %int %invocation
%corner = OpBitwiseAnd %int %i %n3
%from = OpAccessChain %in_vec4 %in_position %corner
%to = OpAccessChain %out_vec4 %out_position %i
OpCopyMemory %to %from
%is_low = OpSLessThan %bool %i %n10
OpSelectionMerge %merged None
OpBranchConditional %is_low %low %merged
%low = OpLabel
%own = OpAccessChain %out_float %value %i
OpStore %own %half
OpBranch %merged
%merged = OpLabel
%is_first = OpIEqual %bool %i %n0
OpSelectionMerge %end None
OpBranchConditional %is_first %first %end
%first = OpLabel
%all = OpLoad %in_vertices %in_position
%left = OpCompositeExtract %float %all 0 0
%right = OpCompositeExtract %float %all 1 0
%top = OpCompositeExtract %float %all 0 1
%bottom = OpCompositeExtract %float %all 2 1
%range = OpCompositeConstruct %vec4 %left %right %top %bottom
OpStore %whole %range
OpStore %inner %inner_levels
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
