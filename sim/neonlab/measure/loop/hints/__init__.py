"""What a person who tunes kernels would say of a loop, each remark tried out on the model before it is made."""
