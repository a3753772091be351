; SPIR-V
; Version: 1.6
; What SPIR-V 1.1 to 1.6 and its extensions add to a compute shader: sets of instructions without meaning in all places
; where they may stand, copies between types with different layouts, selection of composites, copies with two memory
; operands, structs without members, loop controls, differences of pointers without ArrayStride, a size of the workgroup
; from a specialisation constant, uniform decorations and strings.
OpCapability Shader
OpCapability VariablePointersStorageBuffer
OpExtension "SPV_KHR_non_semantic_info"
OpExtension "SPV_GOOGLE_user_type"
OpExtension "SPV_GOOGLE_hlsl_functionality1"
%glsl = OpExtInstImport "GLSL.std.450"
%info = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
%other = OpExtInstImport "NonSemantic.Anything"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %in %out %table %counter %void_of %shared_void
OpExecutionModeId %main LocalSizeId %size %n1 %n1
%file = OpString "file.hlsl"
OpSource HLSL 600 %file
OpModuleProcessed "by nothing"
OpDecorate %size SpecId 3
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %wide_words ArrayStride 16
OpDecorate %words ArrayStride 4
OpDecorate %records ArrayStride 32
OpMemberDecorate %record 0 Offset 0
OpMemberDecorate %record 1 Offset 16
OpMemberDecorate %wide_record 0 Offset 8
OpMemberDecorate %wide_record 1 Offset 48
OpDecorate %in_block Block
OpMemberDecorate %in_block 0 Offset 0
OpMemberDecorate %in_block 1 Offset 96
OpDecorate %out_block Block
OpMemberDecorate %out_block 0 Offset 0
OpMemberDecorate %out_block 1 Offset 96
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %in NonWritable
OpDecorateString %in UserTypeGOOGLE "structuredbuffer"
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
OpDecorateId %out CounterBuffer %counter
OpMemberDecorateString %out_block 0 UserSemantic "RESULT"
OpDecorate %counter DescriptorSet 0
OpDecorate %counter Binding 2
OpDecorate %table NonWritable
OpDecorateId %four UniformId %scope
OpDecorate %four NoSignedWrap
OpDecorate %four NoUnsignedWrap
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%uvec3 = OpTypeVector %uint 3
%scope = OpConstant %uint 2
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n2 = OpConstant %uint 2
%n3 = OpConstant %uint 3
%n4 = OpConstant %uint 4
%n7 = OpConstant %uint 7
%size = OpSpecConstant %uint 4
%source = OpExtInst %void %info 35 %file
%words = OpTypeArray %uint %n3
%wide_words = OpTypeArray %uint %n3
%plain_words = OpTypeArray %uint %n3
%record = OpTypeStruct %uint %words
%wide_record = OpTypeStruct %uint %wide_words
%plain_record = OpTypeStruct %uint %plain_words
%records = OpTypeRuntimeArray %record
%float = OpTypeFloat 32
%vec2 = OpTypeVector %float 2
%matrix = OpTypeMatrix %vec2 2 ; without MatrixStride, which some compilers forget
%in_block = OpTypeStruct %wide_record %matrix
%to_float = OpTypePointer StorageBuffer %float
%out_block = OpTypeStruct %wide_record %records
%to_in = OpTypePointer StorageBuffer %in_block
%to_out = OpTypePointer StorageBuffer %out_block
%to_wide = OpTypePointer StorageBuffer %wide_record
%to_record = OpTypePointer StorageBuffer %record
%to_uint = OpTypePointer StorageBuffer %uint
%to_table = OpTypePointer Private %plain_words
%to_entry = OpTypePointer Private %uint
%in_uvec3 = OpTypePointer Input %uvec3
%entries = OpConstantComposite %plain_words %n7 %n4 %n1
%nothing = OpTypeStruct
%stored_nothing = OpTypeStruct
%nothings = OpTypeStruct %nothing %nothing
%returns_nothing = OpTypeFunction %nothing %nothing
%own_nothing = OpTypePointer Function %nothing
%one_nothing = OpTypePointer Private %nothing
%no_value = OpConstantNull %nothing
%void_of = OpVariable %one_nothing Private
%shared_nothing = OpTypePointer Workgroup %nothing
%shared_void = OpVariable %shared_nothing Workgroup
%in = OpVariable %to_in StorageBuffer
%out = OpVariable %to_out StorageBuffer
%counter = OpVariable %to_in StorageBuffer
%table = OpVariable %to_table Private %entries
%id = OpVariable %in_uvec3 Input
%remark = OpExtInst %void %other 1 %n1
%main = OpFunction %void None %fn
%entry = OpLabel
%local = OpVariable %own_nothing Function %no_value
%note = OpExtInst %void %info 24
%ids = OpLoad %uvec3 %id
%i = OpCompositeExtract %uint %ids 0
%from = OpAccessChain %to_wide %in %n0
%loaded = OpLoad %wide_record %from Aligned|Nontemporal 4
%narrow = OpCopyLogical %record %loaded
%plain = OpCopyLogical %plain_record %loaded
%changed = OpCompositeInsert %plain_record %i %plain 0
%odd = OpBitwiseAnd %uint %i %n1
%is_odd = OpINotEqual %bool %odd %n0
%chosen = OpSelect %plain_record %is_odd %changed %plain
%stored = OpCopyLogical %record %chosen
%to = OpAccessChain %to_record %out %n1 %i
OpStore %to %stored
%is_first = OpIEqual %bool %i %n0
OpSelectionMerge %after DontFlatten
OpBranchConditional %is_first %first %after
%first = OpLabel
%whole = OpAccessChain %to_wide %out %n0
OpCopyMemory %whole %from Aligned 4 Aligned|Volatile 8
OpBranch %after
%after = OpLabel
%note2 = OpExtInst %void %info 103 %source %n1 %n1 %n1 %n1
OpBranch %head
%head = OpLabel
%k = OpPhi %uint %n0 %after %next %tail
%sum = OpPhi %uint %n0 %after %more %tail
OpLoopMerge %done %tail IterationMultiple|MinIterations|MaxIterations|PeelCount|PartialCount 3 3 3 1 1
OpBranch %test
%test = OpLabel
%again = OpULessThan %bool %k %n3
OpBranchConditional %again %tail %done
%tail = OpLabel
%place = OpAccessChain %to_entry %table %k
%value = OpLoad %uint %place
%more = OpIAdd %uint %sum %value
%next = OpIAdd %uint %k %n1
OpBranch %head
%done = OpLabel
%four = OpIAdd %uint %sum %size
%e0 = OpLoad %nothing %void_of
OpStore %shared_void %e0
OpStore %local %e0
%e1 = OpLoad %nothing %shared_void
%e2 = OpFunctionCall %nothing %pass %e1
%e3 = OpCompositeConstruct %nothings %e2 %e1
%e4 = OpCompositeExtract %nothing %e3 1
%e5 = OpCopyLogical %stored_nothing %e4
%e6 = OpCopyLogical %nothing %e5
OpStore %local %e6
%slot = OpAccessChain %to_uint %out %n1 %i %n1 %n2
%origin = OpAccessChain %to_record %out %n1 %n0
%steps = OpPtrDiff %uint %to %origin
%five = OpIAdd %uint %four %steps
%cell = OpAccessChain %to_float %in %n1 %n1 %odd
%number = OpLoad %float %cell
%rounded = OpConvertFToU %uint %number
%six = OpIAdd %uint %five %rounded
OpStore %slot %six
OpReturn
OpFunctionEnd
%later = OpExtInst %void %other 2
%pass = OpFunction %nothing None %returns_nothing
%parameter = OpFunctionParameter %nothing
%pass_label = OpLabel
OpReturnValue %parameter
OpFunctionEnd
%helper = OpFunction %void None %fn
%label = OpLabel
OpReturn
OpFunctionEnd
