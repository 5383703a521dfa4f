"""The data in the frozen folder of a published result: judgments, designs, draws and texts."""
