; SPIR-V
; Version: 1.0
; As many vertices as there may be, each with 16 components, from each of two invocations for a point: points that fill eight
; rows of 128 pixels, whose colours and words follow from their number. glslang takes no more than 256 vertices.
OpCapability Geometry
OpCapability GeometryPointSize
%1 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint Geometry %main "main" %gl_PrimitiveIDIn %gl_InvocationID %vertex %color %bits %four %two
OpExecutionMode %main InputPoints
OpExecutionMode %main Invocations 2
OpExecutionMode %main OutputPoints
OpExecutionMode %main OutputVertices 1024
OpDecorate %gl_PrimitiveIDIn BuiltIn PrimitiveId
OpDecorate %gl_InvocationID BuiltIn InvocationId
OpMemberDecorate %gl_PerVertex 0 BuiltIn Position
OpMemberDecorate %gl_PerVertex 1 BuiltIn PointSize
OpDecorate %gl_PerVertex Block
OpDecorate %color Location 0
OpDecorate %bits Flat
OpDecorate %bits Location 1
OpDecorate %four Flat
OpDecorate %four Location 2
OpDecorate %two Flat
OpDecorate %two Location 3
%void = OpTypeVoid
%3 = OpTypeFunction %void
%int = OpTypeInt 32 1
%_ptr_Function_int = OpTypePointer Function %int
%int_0 = OpConstant %int 0
%int_1024 = OpConstant %int 1024
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%_ptr_Function_uint = OpTypePointer Function %uint
%_ptr_Input_int = OpTypePointer Input %int
%gl_PrimitiveIDIn = OpVariable %_ptr_Input_int Input
%int_2 = OpConstant %int 2
%gl_InvocationID = OpVariable %_ptr_Input_int Input
%float = OpTypeFloat 32
%v2float = OpTypeVector %float 2
%_ptr_Function_v2float = OpTypePointer Function %v2float
%uint_128 = OpConstant %uint 128
%float_0_5 = OpConstant %float 0.5
%v4float = OpTypeVector %float 4
%gl_PerVertex = OpTypeStruct %v4float %float
%_ptr_Output_gl_PerVertex = OpTypePointer Output %gl_PerVertex
%vertex = OpVariable %_ptr_Output_gl_PerVertex Output
%float_64 = OpConstant %float 64.0
%float_48 = OpConstant %float 48.0
%56 = OpConstantComposite %v2float %float_64 %float_48
%float_1 = OpConstant %float 1.0
%_ptr_Output_v4float = OpTypePointer Output %v4float
%int_1 = OpConstant %int 1
%_ptr_Output_float = OpTypePointer Output %float
%color = OpVariable %_ptr_Output_v4float Output
%uint_251 = OpConstant %uint 251
%uint_241 = OpConstant %uint 241
%uint_239 = OpConstant %uint 239
%float_255 = OpConstant %float 255.0
%_ptr_Output_uint = OpTypePointer Output %uint
%bits = OpVariable %_ptr_Output_uint Output
%v4uint = OpTypeVector %uint 4
%_ptr_Output_v4uint = OpTypePointer Output %v4uint
%four = OpVariable %_ptr_Output_v4uint Output
%uint_1 = OpConstant %uint 1
%uint_2 = OpConstant %uint 2
%uint_3 = OpConstant %uint 3
%uint_4 = OpConstant %uint 4
%v2uint = OpTypeVector %uint 2
%_ptr_Output_v2uint = OpTypePointer Output %v2uint
%two = OpVariable %_ptr_Output_v2uint Output
%uint_5 = OpConstant %uint 5
%uint_6 = OpConstant %uint 6
%main = OpFunction %void None %3
%5 = OpLabel
%i = OpVariable %_ptr_Function_int Function
%number = OpVariable %_ptr_Function_uint Function
%at = OpVariable %_ptr_Function_v2float Function
OpStore %i %int_0
OpBranch %10
%10 = OpLabel
OpLoopMerge %12 %13 None
OpBranch %14
%14 = OpLabel
%15 = OpLoad %int %i
%18 = OpSLessThan %bool %15 %int_1024
OpBranchConditional %18 %11 %12
%11 = OpLabel
%24 = OpLoad %int %gl_PrimitiveIDIn
%26 = OpIMul %int %24 %int_2
%28 = OpLoad %int %gl_InvocationID
%29 = OpIAdd %int %26 %28
%30 = OpIMul %int %29 %int_1024
%31 = OpLoad %int %i
%32 = OpIAdd %int %30 %31
%33 = OpBitcast %uint %32
OpStore %number %33
%38 = OpLoad %uint %number
%40 = OpUMod %uint %38 %uint_128
%41 = OpConvertUToF %float %40
%42 = OpLoad %uint %number
%43 = OpUDiv %uint %42 %uint_128
%44 = OpConvertUToF %float %43
%45 = OpCompositeConstruct %v2float %41 %44
%47 = OpCompositeConstruct %v2float %float_0_5 %float_0_5
%48 = OpFAdd %v2float %45 %47
OpStore %at %48
%53 = OpLoad %v2float %at
%57 = OpFDiv %v2float %53 %56
%59 = OpCompositeConstruct %v2float %float_1 %float_1
%60 = OpFSub %v2float %57 %59
%61 = OpCompositeExtract %float %60 0
%62 = OpCompositeExtract %float %60 1
%63 = OpCompositeConstruct %v4float %61 %62 %float_0_5 %float_1
%65 = OpAccessChain %_ptr_Output_v4float %vertex %int_0
OpStore %65 %63
%68 = OpAccessChain %_ptr_Output_float %vertex %int_1
OpStore %68 %float_1
%70 = OpLoad %uint %number
%72 = OpUMod %uint %70 %uint_251
%73 = OpConvertUToF %float %72
%74 = OpLoad %uint %number
%76 = OpUMod %uint %74 %uint_241
%77 = OpConvertUToF %float %76
%78 = OpLoad %uint %number
%80 = OpUMod %uint %78 %uint_239
%81 = OpConvertUToF %float %80
%83 = OpCompositeConstruct %v4float %73 %77 %81 %float_255
%84 = OpCompositeConstruct %v4float %float_255 %float_255 %float_255 %float_255
%85 = OpFDiv %v4float %83 %84
OpStore %color %85
%88 = OpLoad %uint %number
OpStore %bits %88
%92 = OpLoad %uint %number
%94 = OpIAdd %uint %92 %uint_1
%95 = OpLoad %uint %number
%97 = OpIAdd %uint %95 %uint_2
%98 = OpLoad %uint %number
%100 = OpIAdd %uint %98 %uint_3
%101 = OpLoad %uint %number
%103 = OpIAdd %uint %101 %uint_4
%104 = OpCompositeConstruct %v4uint %94 %97 %100 %103
OpStore %four %104
%108 = OpLoad %uint %number
%110 = OpIAdd %uint %108 %uint_5
%111 = OpLoad %uint %number
%113 = OpIAdd %uint %111 %uint_6
%114 = OpCompositeConstruct %v2uint %110 %113
OpStore %two %114
OpEmitVertex
OpBranch %13
%13 = OpLabel
%115 = OpLoad %int %i
%116 = OpIAdd %int %115 %int_1
OpStore %i %116
OpBranch %10
%12 = OpLabel
OpReturn
OpFunctionEnd
