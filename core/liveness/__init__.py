"""When bytes are needed: of feature maps, rolling buffers and weight buffers, before addresses."""
